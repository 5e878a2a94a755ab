import { channelIn } from '@avm402/avm/batch-settlement/client';
import { isX402Error } from '@avm402/core/errors';
import { decodePaymentRequiredHeader, PAYMENT_REQUIRED_HEADER } from '@avm402/core/headers';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { SettleResponse } from '@avm402/core/settle-response';
import { parseReceipt } from '../http/receipt.ts';

/** The receipt of a request that was paid through this channel; undefined for a success that names another one. */
export function channelReceipt(channelId: string, header: string | null): SettleResponse | undefined {
  const receipt = parseReceipt(header);
  return !receipt?.success || channelIn(receipt) === channelId ? receipt : undefined;
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
