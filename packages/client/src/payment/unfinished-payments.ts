import type { LeftPayment, SealedPayments } from '../journal/sealed-payment.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { PaymentProof, type PaidRequest } from './paid-request.ts';

/** How long a confirmed payment without its answer is kept for the same request. */
const KEEP_CONFIRMED_MS = 600_000;
const MAX_HELD = 10_000;

export interface UnfinishedOptions {
  readonly now: () => number;
  /** Address of the payer, if it is known beforehand. */
  readonly payer?: string | undefined;
  /** Keeps them beyond this process. */
  readonly sealed?: SealedPayments | undefined;
}

/**
 * Payments that left and lack their answer or their receipt. The next identical request sends the same payment again
 * instead of making a new one.
 */
export class UnfinishedPayments {
  readonly #options: UnfinishedOptions;
  readonly #held = new Map<string, PaidRequest[]>();

  constructor(options: UnfinishedOptions) {
    this.#options = options;
  }

  /**
   * Puts a payment where the next process finds it, before it leaves.
   * @throws X402Error `journal_unavailable`
   */
  async seal(fingerprint: string, payment: SentPayment, { url, header }: PaymentProof): Promise<void> {
    await this.#options.sealed?.keep({ payment, fingerprint, url, header });
  }

  /** Nothing of a payment is missing, or nothing can come of it any more. */
  finish({ txId }: SentPayment): void {
    // What can't be removed now is presented once more by the next process: nothing is paid for it.
    this.#options.sealed?.drop(txId).catch(() => {});
  }

  /** Takes a payment that was kept for a request with this fingerprint. Nobody else gets it meanwhile. */
  take(fingerprint: string): PaidRequest | undefined {
    const held = (this.#held.get(fingerprint) ?? []).filter((one) => this.#isAlive(one));
    const next = held.shift();
    if (held.length > 0) this.#held.set(fingerprint, held);
    else this.#held.delete(fingerprint);
    return next ?? this.#takeLeft(fingerprint);
  }

  /** What an earlier process left. */
  #takeLeft(fingerprint: string): PaidRequest | undefined {
    const { sealed, payer } = this.#options;
    for (;;) {
      const left = sealed?.take(fingerprint, payer);
      const paid = left && paidRequestOf(left);
      if (!paid || this.#isAlive(paid)) return paid;
      this.finish(paid.payment);
    }
  }

  /** Keeps a payment for the next request with this fingerprint. */
  keep(fingerprint: string, paid: PaidRequest): void {
    const held = this.#held.get(fingerprint) ?? [];
    this.#held.delete(fingerprint);
    this.#held.set(fingerprint, [...held, paid]);
    const oldest = this.#held.keys().next();
    if (this.#held.size > MAX_HELD && oldest.done === false) this.#held.delete(oldest.value);
  }

  /** Replaces a kept payment by what is known of it now. Does nothing if it was taken. */
  update(fingerprint: string, paid: PaidRequest): void {
    const held = this.#held.get(fingerprint) ?? [];
    const index = held.findIndex(({ proof }) => proof === paid.proof);
    if (index >= 0) held[index] = paid;
  }

  /** Whether the seller can't be expected to keep the answer to a payment any more, if it settled. */
  isOld({ unfinishedSince }: PaidRequest): boolean {
    return unfinishedSince !== undefined && this.#options.now() - unfinishedSince >= KEEP_CONFIRMED_MS;
  }

  #isAlive(paid: PaidRequest): boolean {
    return paid.state === 'confirmed' ? !this.isOld(paid) : paid.state !== 'expired';
  }
}

function paidRequestOf({ payment, header, url, state, confirmedIn }: LeftPayment): PaidRequest {
  const facts = { payment, proof: new PaymentProof(header, new URL(url)), unfinishedSince: payment.sentAt };
  return confirmedIn === undefined ? { ...facts, state } : { ...facts, state: 'confirmed', round: confirmedIn };
}
