import * as z from 'zod/mini';
import { anyNetwork, openObject, optional, text } from './message-parser.ts';

export const settleResponse = z
  .looseObject({
    success: z.boolean(),
    errorReason: optional(text(1024)),
    errorMessage: optional(text(8192)),
    payer: optional(text(256)),
    transaction: text(256),
    network: anyNetwork,
    amount: optional(text(80)),
    extensions: optional(openObject),
    extensionResponses: optional(openObject),
    extra: optional(openObject),
  })
  .check(
    z.refine(({ success, network }) => !success || network.length > 0, { message: 'a success names its network' }),
    z.refine(
      // A charge of 0 in the scheme `upto` settles nothing on chain.
      ({ success, transaction, amount, extra }) =>
        !success || transaction.length > 0 || amount === '0' || isByVoucher(extra),
      { message: 'a success names its transaction' },
    ),
  );

/**
 * Whether this is a voucher's receipt. A voucher settles without a transaction; its receipt gives the channel's state
 * instead.
 */
function isByVoucher(extra: Record<string, unknown> | undefined): boolean {
  return typeof extra?.['channelState'] === 'object' && extra['channelState'] !== null;
}
