import type { SentPayment } from './sent-payment.ts';

/** A payment as it left. Anyone who has it can collect what it paid for: it is secret, and never printed. */
export interface SealedPayment {
  readonly payment: SentPayment;
  /** Identifies what the request asks for; see {@link fingerprint}. */
  readonly fingerprint: string;
  /** Where it was sent. Its query may hold a secret. */
  readonly url: string;
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string;
}

/** A payment of an earlier process that lacks its answer, and what is known of it. */
export interface UnansweredPayment extends SealedPayment {
  /** `answered`: the response that was paid for came without a receipt. */
  readonly state: 'sent' | 'answered';
  /** The round in which the buyer's node has seen it. */
  readonly confirmedIn?: bigint;
}

/** Keeps payments, from before they leave until they are answered, so that the next process can send them again. */
export interface SealedPayments {
  /** Resolves when the payment would survive a crash. */
  keep(sealed: SealedPayment): Promise<void>;
  /** Forgets a payment: it was answered, or it is dead. */
  drop(txId: string): Promise<void>;
  /**
   * Hands out a payment that an earlier process left for the same request, paid by `payer` if that is known. Each is
   * handed out once.
   */
  take(fingerprint: string, payer: string | undefined): UnansweredPayment | undefined;
}
