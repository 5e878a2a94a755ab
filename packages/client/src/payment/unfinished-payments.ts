import { Unfinished } from '../journal/unfinished.ts';
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
export class UnfinishedPayments extends Unfinished<PaidRequest> {
  readonly #options: UnfinishedPaymentsOptions;

  constructor(options: UnfinishedPaymentsOptions) {
    super({ now: options.now, isOver: ({ state }) => state === 'expired' });
    this.#options = options;
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

  /** Takes a payment that was kept for a request with this fingerprint, or that an earlier process left. */
  override take(fingerprint: string): PaidRequest | undefined {
    const kept = super.take(fingerprint);
    if (kept) return kept;
    const { sealed, payer } = this.#options;
    const left = sealed?.take(fingerprint, payer);
    return left && paidRequestOf(left);
  }

  /** Replaces a kept payment with what is known of it now. Does nothing if it was taken. */
  update(fingerprint: string, paid: PaidRequest): void {
    this.replace(fingerprint, ({ proof }) => proof === paid.proof, paid);
  }
}

function paidRequestOf({ payment, header, url, state, confirmedIn }: UnansweredPayment): PaidRequest {
  const facts = { payment, proof: new PaymentProof(header, new URL(url)), unfinishedSince: payment.sentAt };
  return confirmedIn === undefined ? { ...facts, state } : { ...facts, state: 'confirmed', round: confirmedIn };
}
