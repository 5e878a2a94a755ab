import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../exchange/exchange.ts';
import { fingerprintOf } from '../exchange/payment-in-request.ts';
import type { Presentation } from '../redemption/redemption.ts';

/** A well-formed payment from a request. Its offer, signature and chain state have not been checked yet. */
export interface PresentedPayment extends Presentation {
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

/** Reads a scheme's payment and makes every check that needs nobody else, except for signatures. */
export type ReadPayment = (exchange: Exchange, sent: PaymentPayload) => PresentedPayment;

/** The requirements with the amount that a payment authorizes, whatever was charged of it. */
export function authorizedBy({ maximum }: PresentedPayment, requirements: PaymentRequirements): PaymentRequirements {
  return maximum === undefined ? requirements : { ...requirements, amount: String(maximum) };
}

/**
 * The payment with the fingerprint of its request, if its buyer may come back.
 * @throws X402Error `too_many_bodies_held`
 */
export async function withFingerprint(exchange: Exchange, payment: PresentedPayment): Promise<PresentedPayment> {
  if (payment.paymentId === undefined) return payment;
  const asked = await fingerprintOf(exchange);
  return asked === undefined ? payment : { ...payment, fingerprint: asked };
}
