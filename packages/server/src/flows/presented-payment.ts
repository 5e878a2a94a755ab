import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Presentation } from '../redemption/redemption.ts';

/** A payment as its scheme reads it. Its offer, signature and chain state have not been checked yet. */
export interface ReadablePayment extends Pick<Presentation, 'txId' | 'groupDigest' | 'payer'> {
  readonly payload: PaymentPayload;
  /**
   * The most that it pays, in atomic units, if the handler says how much is charged; absent if it pays a fixed price.
   */
  readonly maximum?: bigint;
  /** Whether only the chain can tell that the payer agreed: it names another key as the payer's, or a program signs. */
  readonly isJudgedByChain: boolean;
  /** The last round in which it may be confirmed, if the payer's own key alone signed its transaction. */
  readonly signedUntil?: bigint;
  /** @throws X402Error with a wire reason */
  checkSignature(): void;
}

/** A well-formed payment from a request. */
export interface PresentedPayment extends ReadablePayment, Presentation {}

/**
 * Reads a scheme's payment and makes every check that needs nobody else, except for signatures.
 * @throws X402Error with a wire reason
 */
export type ReadPayment = (sent: PaymentPayload) => ReadablePayment;

/** The requirements with the amount that a payment authorizes, not the amount that was charged. */
export function authorizedBy({ maximum }: PresentedPayment, requirements: PaymentRequirements): PaymentRequirements {
  return maximum === undefined ? requirements : { ...requirements, amount: String(maximum) };
}
