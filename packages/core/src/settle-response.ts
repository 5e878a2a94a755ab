import * as z from 'zod/mini';
import { anyNetwork, messageParser, openObject, optional, text } from './message-parser.ts';
import type { Network } from './network.ts';

/** A facilitator's settlement (x402 v2 §7.2). `transaction` and `network` are there for failures, too. Unknown members are preserved. */
export interface SettleResponse {
  success: boolean;
  errorReason?: string;
  errorMessage?: string;
  payer?: string;
  /** Transaction id, or `""` when nothing was submitted: of a failure, a voucher or a charge of 0. */
  transaction: string;
  network: Network;
  amount?: string;
  extensions?: Record<string, unknown>;
  extensionResponses?: Record<string, unknown>;
  extra?: Record<string, unknown>;
}

const settleResponse = z
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
      // A charge of 0, in the scheme upto, settles nothing on chain.
      ({ success, transaction, amount, extra }) =>
        !success || transaction.length > 0 || amount === '0' || isByVoucher(extra),
      { message: 'a success names its transaction' },
    ),
  );

/** A voucher settles without a transaction; its receipt tells the state of its channel instead. */
function isByVoucher(extra: Record<string, unknown> | undefined): boolean {
  return typeof extra?.['channelState'] === 'object' && extra['channelState'] !== null;
}

/** Errors: `invalid_settle_response`. */
export const parseSettleResponse = messageParser<SettleResponse>('invalid_settle_response', settleResponse);
