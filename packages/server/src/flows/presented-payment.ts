import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../exchange/exchange.ts';
import { fingerprintOf } from '../exchange/payment-in-request.ts';
import type { Presentation } from '../redemption/redemption.ts';

/** A well-formed payment from a request. Offer, signature and chain state are still to be checked. */
export interface PresentedPayment extends Presentation {
  readonly payload: PaymentPayload;
  /** Most that it pays, in atomic units, where the handler says how much of it; absent where it pays a price. */
  readonly maximum?: bigint;
  /** Whether it says that the payer's key is another one: only the chain knows. */
  readonly namesAuthorizer: boolean;
  /** @throws X402Error with a wire reason */
  checkSignature(): void;
}

/** Reads what a scheme's payment says, and checks what asks nobody but its signatures. */
export type ReadPayment = (exchange: Exchange, sent: PaymentPayload) => PresentedPayment;

/** What a payment authorizes, whatever was charged of it. */
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
