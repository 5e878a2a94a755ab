import { decodePaymentResponseHeader, PAYMENT_RESPONSE_HEADER } from '@avm402/core/headers';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { SettleResponse } from '@avm402/core/settle-response';

/** What a paying fetch did for one response. */
export interface PaymentRecord {
  /** The offer that was paid. */
  readonly offer: PaymentRequirements;
  /** TxID of the payment transaction. */
  readonly txId: string;
  /** TxIDs of the whole group, in order. */
  readonly groupTxIds: readonly string[];
  /** Last round in which the payment can be confirmed. */
  readonly lastValid: bigint;
  /** What the seller said of the settlement, if it speaks of this payment. */
  readonly settlement: SettleResponse | undefined;
}

const records = new WeakMap<Response, PaymentRecord>();

/** Remembers what was paid for a response. */
export function rememberPayment(response: Response, record: PaymentRecord): void {
  records.set(response, record);
}

/** What was paid for a response of a paying fetch; undefined if nothing was sent. */
export function paymentOf(response: Response): PaymentRecord | undefined {
  return records.get(response);
}

/** The settlement of a response of a paying fetch: `{success, payer, transaction, network}`; undefined without one. */
export function settlementOf(response: Response): SettleResponse | undefined {
  return records.get(response)?.settlement;
}

/**
 * Reads the settlement from a response. One that names no transaction of ours, or that cannot be read, says nothing:
 * whatever is known of the payment stays unknown.
 */
export function readSettlement(response: Response, groupTxIds: readonly string[]): SettleResponse | undefined {
  const header = response.headers.get(PAYMENT_RESPONSE_HEADER);
  if (header === null) return undefined;
  try {
    const settlement = decodePaymentResponseHeader(header);
    // Some facilitators name the fee payer's transaction; any of the group means this payment.
    return settlement.transaction === '' || groupTxIds.includes(settlement.transaction) ? settlement : undefined;
  } catch {
    return undefined;
  }
}
