import type { PaymentPayload } from '@x402/core/types';
import { refuse } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { settleInTurn, verifyInTurn } from '../exchange/in-turn.ts';
import { matchedOffer } from '../exchange/offers-for-request.ts';
import { guardPayment } from '../exchange/payment-guard.ts';
import { hashedPaymentId } from '../exchange/payment-id.ts';
import { fingerprintOf } from '../request/fingerprint.ts';
import { authorizedBy, type PresentedPayment, type ReadPayment } from './presented-payment.ts';
import { serveOutcome } from './serve-claimed.ts';

/**
 * The life of a request with a payment that is redeemed once: look up what is known of the payment, have it verified,
 * claim it, run the handler, settle, answer. Errors before the claim are thrown, and then nothing has run.
 * @throws X402Error `invalid_payment_identifier`, `payment_id_required`, `no_matching_offer`, and as `read`
 */
export async function redeem(exchange: Exchange, payload: PaymentPayload, read: ReadPayment): Promise<void> {
  const { context, offers, request, responder, seller, trace } = exchange;
  const { claims, options } = seller;
  const presented = await trace.check('terms', async () => {
    const paymentId = hashedPaymentId(offers, payload);
    return { ...read(payload), route: offers.id, ...(paymentId !== undefined && { paymentId }) };
  });
  // Signatures cost more than all other checks, so a stranger's is verified only if there is an offer that it may pay.
  const find = () => trace.check('offer', () => matchedOffer(exchange, presented.payload));
  const offer = (await claims.known.find(presented)) === undefined ? await find() : undefined;
  await trace.check('signature', async () => presented.checkSignature());
  const hasId = presented.paymentId !== undefined;
  const fingerprint = hasId ? await fingerprintOf(request, responder, seller.bodies) : undefined;
  const payment: PresentedPayment = fingerprint === undefined ? presented : { ...presented, fingerprint };
  const seen = await claims.look(payment);
  if (seen.decision !== 'free') return serveOutcome(exchange, payment, seen);
  const requirements = seen.requirements ? authorizedBy(payment, seen.requirements) : (offer ?? (await find()));
  trace.note({ offer: requirements, payer: payment.payer });
  const goOn = async (): Promise<void> => {
    const matched = { ...seen, requirements };
    await guardPayment(options.beforePayment, { ...payment, ...matched, context });
    return serveOutcome(exchange, payment, await claims.claim(payment, matched));
  };
  // Settle verifies anyway. But if only the chain can tell that the payer agreed, a copy by anybody who says so must not
  // claim the TxID of the genuine payment.
  if (!payment.isJudgedByChain && offers.settlesAlone(requirements)) return settleInTurn(exchange, goOn);
  const question = offers.questionAbout(exchange, payment.payload, requirements);
  const { isValid, invalidReason, invalidMessage } = await verifyInTurn(exchange, payment.groupDigest, question);
  if (isValid) return goOn();
  return refuse(exchange, {
    reason: invalidReason ?? 'unexpected_verify_error',
    ...(invalidMessage !== undefined && { message: invalidMessage }),
  });
}
