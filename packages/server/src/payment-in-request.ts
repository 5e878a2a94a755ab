import type { MatchedOffer } from './match-payment.ts';
import type { CarriedPayment } from './payment-header.ts';
import type { Presentation } from './redemption/redemption.ts';

/** A payment on its way through one request. */
export interface PaymentInRequest extends CarriedPayment {
  readonly presented: Presentation;
  readonly matched: MatchedOffer;
}

/** Whether a buyer can be told from others when he comes back, so that his response can wait for him. */
export function canComeBack({ presented }: PaymentInRequest): boolean {
  return presented.paymentId !== undefined && presented.fingerprint !== undefined;
}
