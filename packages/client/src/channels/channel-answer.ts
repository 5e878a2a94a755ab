import { decodeBase64 } from '@avm402/algorand/base64';
import { isX402Error } from '@avm402/core/errors';
import { decodePaymentRequiredHeader, PAYMENT_REQUIRED_HEADER } from '@avm402/core/headers';
import type { PaymentRequired } from '@avm402/core/payment-required';
import { parseAtomicAmount } from '@avm402/core/price';
import type { SettleResponse } from '@avm402/core/settle-response';
import { parseReceipt } from '../http/receipt.ts';
import type { ToldState } from './buyer-channel.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The receipt of a request that was paid through this channel; undefined for a success that names another one. */
export function channelReceipt(channelId: string, header: string | null): SettleResponse | undefined {
  const receipt = parseReceipt(header);
  if (!receipt?.success) return receipt;
  const { channelState }: Fields = receipt.extra ?? {};
  return textIn(channelState, 'channelId') === channelId ? receipt : undefined;
}

/** What a receipt says that its request cost, atomic units; undefined if it does not say. */
export function chargeIn({ extra }: SettleResponse): bigint | undefined {
  return amountIn(extra, 'chargedAmount');
}

/** The offer in a 402; undefined for any other response, and for an offer that can't be read. */
export function offerIn(response: Response): PaymentRequired | undefined {
  const header = response.status === 402 ? response.headers.get(PAYMENT_REQUIRED_HEADER) : null;
  if (header === null) return undefined;
  try {
    return decodePaymentRequiredHeader(header);
  } catch (error) {
    if (isX402Error(error)) return undefined;
    throw error;
  }
}

/** What a corrective 402 tells of a channel; undefined if it tells nothing. */
export function toldState({ accepts }: PaymentRequired, channelId: string): ToldState | undefined {
  for (const { extra } of accepts) {
    const { channelState, voucherState }: Fields = extra;
    const charged = amountIn(channelState, 'chargedCumulativeAmount');
    if (textIn(channelState, 'channelId') !== channelId || charged === undefined) continue;
    const signed = amountIn(voucherState, 'signedMaxClaimable') ?? 0n;
    const signature = decodeBase64(textIn(voucherState, 'signature') ?? '');
    return { charged, signed, signature: signature ?? new Uint8Array() };
  }
  return undefined;
}

function textIn(value: unknown, name: string): string | undefined {
  const { [name]: field }: Fields = Object(value);
  return typeof field === 'string' ? field : undefined;
}

function amountIn(value: unknown, name: string): bigint | undefined {
  const text = textIn(value, name);
  if (text === undefined) return undefined;
  try {
    return parseAtomicAmount(text);
  } catch {
    return undefined;
  }
}
