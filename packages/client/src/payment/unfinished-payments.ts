import { Unfinished } from '../http/unfinished.ts';
import type { UnansweredPayment, SealedPayments } from '../journal/sealed-payment.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { PaymentProof, type PaidRequest } from './paid-request.ts';

export interface UnfinishedPaymentsOptions {
  readonly now: () => number;
  /** Address of the payer, if it is known beforehand. */
  readonly payer?: string | undefined;
  /** Keeps payments beyond this process. */
  readonly sealed?: SealedPayments | undefined;
}

/**
 * Payments that left and lack their answer or their receipt. The next identical request sends the same payment again
 * instead of making a new one.
 */
export class UnfinishedPayments {
  readonly #options: UnfinishedPaymentsOptions;
  readonly #held: Unfinished<PaidRequest>;

  constructor(options: UnfinishedPaymentsOptions) {
    this.#options = options;
    this.#held = new Unfinished({ now: options.now, isOver: ({ state }) => state === 'expired' });
  }

  /**
   * Stores a payment, before it leaves, where the next process finds it.
   * @throws X402Error `journal_unavailable`
   */
  async seal(fingerprint: string, payment: SentPayment, { url, header }: PaymentProof): Promise<void> {
    await this.#options.sealed?.keep({ payment, fingerprint, url, header });
  }

  /** Ends a payment: nothing of it is missing, or nothing can come of it any more. */
  finish({ txId }: SentPayment): void {
    // If it can't be removed now, the next process presents it once more, which costs nothing.
    this.#options.sealed?.drop(txId).catch(() => {});
  }

  /** Takes a payment that was kept for a request with this fingerprint. No other request gets it meanwhile. */
  take(fingerprint: string): PaidRequest | undefined {
    return this.#held.take(fingerprint) ?? this.#takeLeft(fingerprint);
  }

  /** Takes a payment that an earlier process left. */
  #takeLeft(fingerprint: string): PaidRequest | undefined {
    const { sealed, payer } = this.#options;
    const left = sealed?.take(fingerprint, payer);
    return left && paidRequestOf(left);
  }

  /** Keeps a payment for the next request with this fingerprint. */
  keep(fingerprint: string, paid: PaidRequest): void {
    this.#held.keep(fingerprint, paid);
  }

  /** Replaces a kept payment with what is known of it now. Does nothing if it was taken. */
  update(fingerprint: string, paid: PaidRequest): void {
    this.#held.replace(fingerprint, ({ proof }) => proof === paid.proof, paid);
  }

  /** Whether a payment is so old, by the clock, that its seller may no longer keep the answer. */
  isOld(paid: PaidRequest): boolean {
    return this.#held.isOld(paid);
  }
}

function paidRequestOf({ payment, header, url, state, confirmedIn }: UnansweredPayment): PaidRequest {
  const facts = { payment, proof: new PaymentProof(header, new URL(url)), unfinishedSince: payment.sentAt };
  return confirmedIn === undefined ? { ...facts, state } : { ...facts, state: 'confirmed', round: confirmedIn };
}
