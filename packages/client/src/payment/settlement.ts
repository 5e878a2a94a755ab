import type { SettleResponse } from '@avm402/core/settle-response';
import type { X402Error } from '@avm402/core/errors';
import { parseReceipt } from '../http/receipt.ts';
import type { ChosenOffer } from '../offers/choose-offer.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { PaidRequest } from './paid-request.ts';

/** A paying fetch's report about one response. */
export interface PaymentReport {
  /** The offer that was chosen. */
  readonly offer?: ChosenOffer;
  /** The reason why a 402's offer can't be read; it was not paid. */
  readonly problem?: X402Error;
  /** The payment that left. */
  readonly payment?: SentPayment;
  /**
   * The last word of your own node; `open` if it was not asked. Unless the payment has expired, it may still be
   * settled.
   */
  readonly outcome?: PaymentOutcome;
  /** Its settlement, from the seller's receipt or from your own node. */
  readonly settlement?: SettleResponse;
}

const reports = new WeakMap<Response, PaymentReport>();

/** Attaches a report to the caller's response and to every clone of it. */
export function report(response: Response, facts: PaymentReport): Response {
  reports.set(response, facts);
  const clone = (): Response => report(Response.prototype.clone.call(response), facts);
  return Object.defineProperty(response, 'clone', { value: clone });
}

/**
 * The report about this response, or about the one that it is a clone of. Undefined if x402 had no part in it.
 *
 * @example
 * ```ts
 * import { createPayingFetch, parseAccount, reportOf } from '@avm402/client';
 *
 * const fetchPaid = createPayingFetch({ account: parseAccount('… 25 words …'), dryRun: true });
 * const response = await fetchPaid('http://127.0.0.1:4021/weather');
 * console.log(reportOf(response)?.offer?.price); // what it would cost
 * ```
 */
export function reportOf(response: Response): PaymentReport | undefined {
  return reports.get(response);
}

/**
 * The settlement of the payment that a paying fetch sent for this response: `success`, `transaction` (the TxID),
 * `network`, `payer`. Undefined if there is none, and for a response that no paying fetch returned: its receipt may be
 * somebody else's.
 *
 * @example
 * ```ts
 * import { createPayingFetch, parseAccount, settlementOf } from '@avm402/client';
 *
 * const fetchPaid = createPayingFetch({ account: parseAccount('… 25 words …') });
 * const response = await fetchPaid('http://127.0.0.1:4021/weather');
 * if (settlementOf(response)?.success) console.log('paid and settled');
 * ```
 */
export function settlementOf(response: Response): SettleResponse | undefined {
  return reports.get(response)?.settlement;
}

/**
 * The receipt of this payment; undefined for a success that names a transaction outside its group, or more than its
 * maximum. Any transaction of the group will do, because some facilitators name the fee payer's.
 */
export function receiptOf(
  { groupTxIds, lease, amount }: SentPayment,
  header: string | null,
): SettleResponse | undefined {
  const receipt = parseReceipt(header);
  if (!receipt?.success) return receipt;
  // Only the chain can say for sure what the charge is, and so what its TxID is.
  const isIts = lease === undefined ? groupTxIds.includes(receipt.transaction) : isWithin(receipt, amount);
  return isIts ? receipt : undefined;
}

function isWithin({ amount = '0' }: SettleResponse, maximum: bigint): boolean {
  return /^\d{1,20}$/.test(amount) && BigInt(amount) <= maximum;
}

/** The settlement, by everything that is known: the buyer's node outranks a receipt. */
export function knownSettlement(paid: PaidRequest, said: SettleResponse | undefined): SettleResponse | undefined {
  const { payment, receipt } = paid;
  if (paid.state === 'confirmed') {
    const { network, payer } = payment;
    const { charge } = paid;
    const amount = charge && { amount: charge.amount.toString() };
    return { success: true, transaction: charge?.txId ?? payment.txId, network, payer, ...amount };
  }
  // An expired payment can no longer settle, whatever the seller waits for or has said.
  if (paid.state === 'expired') return said?.errorReason === 'settlement_pending' ? undefined : said;
  return receipt ?? said;
}
