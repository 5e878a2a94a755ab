import type { SentPayment } from './sent-payment.ts';

/** A payment as it left. Whoever has it can collect what it paid for: it is secret, and never printed. */
export interface SealedPayment {
  readonly payment: SentPayment;
  /** What the request asks for; see {@link fingerprint}. */
  readonly fingerprint: string;
  /** Where it was sent. Its query may hold a secret. */
  readonly url: string;
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string;
}

/** A payment of an earlier process that lacks its answer, and what is known of it. */
export interface LeftPayment extends SealedPayment {
  /** `answered`: what was paid for came, without a receipt. */
  readonly state: 'sent' | 'answered';
  /** The round that the own node has seen it in. */
  readonly confirmedIn?: bigint;
}

/** Keeps payments from before they leave until they are answered, so that the next process can send the same ones again. */
export interface SealedPayments {
  /** Resolves when it would survive a crash. */
  keep(sealed: SealedPayment): Promise<void>;
  /** Forgets a payment: it was answered, or it is dead. */
  drop(txId: string): Promise<void>;
  /** Hands out one that an earlier process left for such a request, paid by `payer` if that is known. Nobody else gets it. */
  take(fingerprint: string, payer: string | undefined): LeftPayment | undefined;
}
