import type { SettleResponse } from '@avm402/core/settle-response';
import type { X402Error } from '@avm402/core/errors';
import type { ChosenOffer } from '../offers/choose-offer.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { SentPayment } from '../journal/sent-payment.ts';

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
  return Object.defineProperty(response, 'clone', { value: clone, configurable: true });
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
