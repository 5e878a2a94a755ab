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

/** Whether an answer is charged while it runs. The receipt in its headers then gives only the charge so far. */
export function isStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('Content-Type') ?? '');
}
