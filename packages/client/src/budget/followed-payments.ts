import type { SentPayment } from '../journal/sent-payment.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';

export interface FollowedPaymentsOptions {
  /** Asks the buyer's node what became of a payment. */
  readonly learn: (payment: SentPayment) => Promise<PaymentOutcome>;
  readonly onOutcome: ((payment: SentPayment, outcome: PaymentOutcome) => unknown) | undefined;
  /** Ends the questions. */
  readonly finished: AbortSignal;
}

/** Most payments that are followed at the same time; the others are asked about with the next payments. */
const MAX_FOLLOWED = 256;
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 30_000;

/** Payments whose answers came before their blocks: the buyer's node is asked about them until it knows. */
export class FollowedPayments {
  readonly #options: FollowedPaymentsOptions;
  readonly #followed = new Map<string, SentPayment>();

  constructor(options: FollowedPaymentsOptions) {
    this.#options = options;
  }

  /** Asks from time to time, in the background, what became of a payment. */
  follow(payment: SentPayment): void {
    if (this.#followed.size >= MAX_FOLLOWED) return;
    this.#followed.set(payment.txId, payment);
    this.#lookLater(payment, FIRST_LOOK_MS);
  }

  /** Tells the outcome of a payment that is followed, once. Never rejects. */
  async tellOutcome(txId: string, outcome: PaymentOutcome): Promise<void> {
    const payment = this.#followed.get(txId);
    if (payment === undefined || outcome.state === 'open') return;
    this.#followed.delete(txId);
    try {
      await this.#options.onOutcome?.(payment, outcome);
    } catch {
      // Whoever asks may be another request, which must not fail for a listener.
    }
  }

  #lookLater(payment: SentPayment, pause: number): void {
    const timer = setTimeout(() => void this.#look(payment, pause), pause);
    // In Node, a timer that only looks must not keep the process from ending; a page ends whatever its timers do.
    Object(timer).unref?.();
  }

  async #look(payment: SentPayment, pause: number): Promise<void> {
    const { learn, finished } = this.#options;
    if (!this.#followed.has(payment.txId) || finished.aborted) return;
    const { state } = await learn(payment).catch(() => ({ state: 'open' }));
    if (state === 'open') this.#lookLater(payment, Math.min(2 * pause, LONGEST_LOOK_MS));
  }
}
