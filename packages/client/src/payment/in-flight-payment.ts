import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { SentPayment } from '../journal/sent-payment.ts';

/** A payment with the proof that was sent for it. The proof and the id in it are secrets and are never printed. */
export class InFlightPayment {
  readonly payment: SentPayment;
  /** What the own node last said. */
  outcome: PaymentOutcome = { state: 'open' };
  /** The seller's word that it is settled: a later answer to the same payment need not repeat it. */
  receipt: SettleResponse | undefined;
  /** Whether what was paid for has come, but without a receipt: then the payment is done once it is confirmed. */
  isAnswered = false;
  /** When it was first left without its answer, ms since 1970. */
  unansweredSince: number | undefined;
  readonly #header: string;
  readonly #url: URL;

  constructor(payment: SentPayment, { header, url }: { readonly header: string; readonly url: URL }) {
    this.payment = payment;
    this.#header = header;
    this.#url = url;
  }

  /** Where it is handed in, always: who made the offer, behind whatever redirect. Its query may hold a secret. */
  get url(): string {
    return this.#url.href;
  }

  /** The value of PAYMENT-SIGNATURE: the same bytes, with the same payment id, however often it is sent. */
  get header(): string {
    return this.#header;
  }

  /** Whether a settlement that names this transaction is one of this payment; some facilitators name the fee payer's. */
  owns(txId: string): boolean {
    return this.payment.groupTxIds.includes(txId);
  }
}

/** How long a payment that was confirmed, but never answered, is offered again to the same request. */
const KEEP_CONFIRMED_MS = 600_000;
const MAX_HELD = 10_000;

/**
 * Payments that left without an answer that closes them. The next identical request sends the same payment again
 * instead of paying anew.
 */
export class InFlightPayments {
  readonly #now: () => number;
  readonly #held = new Map<string, InFlightPayment[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a payment that was kept for a request with this fingerprint; nobody else gets it meanwhile. */
  take(fingerprint: string): InFlightPayment | undefined {
    const held = (this.#held.get(fingerprint) ?? []).filter((one) => this.#isAlive(one));
    const next = held.shift();
    if (held.length > 0) this.#held.set(fingerprint, held);
    else this.#held.delete(fingerprint);
    return next;
  }

  /** Keeps a payment for the next request with this fingerprint. */
  keep(fingerprint: string, inFlight: InFlightPayment): void {
    inFlight.unansweredSince ??= this.#now();
    const held = this.#held.get(fingerprint) ?? [];
    this.#held.delete(fingerprint);
    this.#held.set(fingerprint, [...held, inFlight]);
    const oldest = this.#held.keys().next();
    if (this.#held.size > MAX_HELD && oldest.done === false) this.#held.delete(oldest.value);
  }

  #isAlive({ outcome, unansweredSince }: InFlightPayment): boolean {
    if (outcome.state !== 'confirmed') return outcome.state === 'open';
    return this.#now() - (unansweredSince ?? 0) < KEEP_CONFIRMED_MS;
  }
}
