import { decodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { X402Error } from '@avm402/core/errors';
import type { ChosenOffer } from '../offers/choose-offer.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { PaidRequest } from './paid-request.ts';

/** What a paying fetch did for one response. */
export interface PaymentReport {
  /** The offer that was chosen. */
  readonly offer?: ChosenOffer;
  /** Why a 402 was not paid although it looks like x402: its offer can't be read. */
  readonly problem?: X402Error;
  /** The payment that left. */
  readonly payment?: SentPayment;
  /** What the own node last said of it; `open` where it was not asked. Unless it has expired, it may still be settled. */
  readonly outcome?: PaymentOutcome;
  /** Its settlement: by the seller's receipt, or by the own node. */
  readonly settlement?: SettleResponse;
}

const reports = new WeakMap<Response, PaymentReport>();

/** Attaches a report to the response that the caller gets, and to every clone of it. */
export function report(response: Response, facts: PaymentReport): Response {
  reports.set(response, facts);
  const clone = (): Response => report(Response.prototype.clone.call(response), facts);
  return Object.defineProperty(response, 'clone', { value: clone });
}

/**
 * What a paying fetch did for this response, or for the one that it is a clone of. Undefined if x402 had no part in it.
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

/** A receipt that can't be read is none. */
function parseReceipt(header: string | null): SettleResponse | undefined {
  if (header === null) return undefined;
  try {
    return decodePaymentResponseHeader(header);
  } catch {
    return undefined;
  }
}

/**
 * The receipt of this payment. A success that names somebody else's transaction is none; one that names another member of
 * the group is: some facilitators name the fee payer's.
 */
export function receiptOf({ groupTxIds }: SentPayment, header: string | null): SettleResponse | undefined {
  const receipt = parseReceipt(header);
  return receipt && (groupTxIds.includes(receipt.transaction) || !receipt.success) ? receipt : undefined;
}

/** What is known of a settlement behind an answer that `said` this of it: the own node has the last word. */
export function knownSettlement(paid: PaidRequest, said: SettleResponse | undefined): SettleResponse | undefined {
  const { payment, state, receipt } = paid;
  if (state === 'confirmed') {
    return { success: true, transaction: payment.txId, network: payment.network, payer: payment.payer };
  }
  // What the seller waits for, or once said, can't come any more.
  if (state === 'expired') return said?.errorReason === 'settlement_pending' ? undefined : said;
  return receipt ?? said;
}
