import type { PaymentRequirements } from '@x402/core/types';
import type { Exchange } from './exchange.ts';
import { PaymentQuestion } from './facilitator/payment-question.ts';
import type { MatchedOffer } from './match-payment.ts';
import { type CarriedPayment, forFacilitator } from './payment-header.ts';
import { canTellBuyer, type Presentation } from './redemption/redemption.ts';

/** A payment on its way through one request. */
export interface PaymentInRequest extends CarriedPayment {
  readonly presented: Presentation;
  readonly matched: MatchedOffer;
  /** What the facilitator was asked for a verdict, if this request has asked. */
  readonly question?: PaymentQuestion;
}

/** Whether a response can wait for its buyer. */
export function canComeBack({ presented }: PaymentInRequest): boolean {
  return canTellBuyer(presented);
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
