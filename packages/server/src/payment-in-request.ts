import type { PaymentRequirements } from '@x402/core/types';
import type { Exchange } from './exchange.ts';
import { PaymentQuestion } from './facilitator/payment-question.ts';
import type { MatchedOffer } from './match-payment.ts';
import { type CarriedPayment, forFacilitator } from './payment-header.ts';
import type { Presentation } from './redemption/redemption.ts';

/** A payment on its way through one request. */
export interface PaymentInRequest extends CarriedPayment {
  readonly presented: Presentation;
  readonly matched: MatchedOffer;
  /** What the facilitator was asked for a verdict, if this request has asked. */
  readonly question?: PaymentQuestion;
}

/** Whether a buyer can be told from others when he comes back, so that his response can wait for him. */
export function canComeBack({ presented }: PaymentInRequest): boolean {
  return presented.paymentId !== undefined && presented.fingerprint !== undefined;
}

/** What a facilitator is asked about a payment; settle asks in the words of verify. */
export function questionAbout(
  exchange: Exchange,
  { payload, question }: PaymentInRequest,
  requirements: PaymentRequirements,
): PaymentQuestion {
  if (question?.requirements === requirements) return question;
  return new PaymentQuestion(forFacilitator(exchange, payload, requirements), requirements);
}
