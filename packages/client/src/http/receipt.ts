import { decodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';

/** The receipt in a PAYMENT-RESPONSE header; undefined for one that can't be read. */
export function parseReceipt(header: string | null): SettleResponse | undefined {
  if (header === null) return undefined;
  try {
    return decodePaymentResponseHeader(header);
  } catch {
    return undefined;
  }
}
