import { checkPaymentTerms, checkSignature, ExactAvmServer, withNamedFeePayer } from '@avm402/avm/exact/server';
import type { PaymentPayload } from '@x402/core/types';
import type { Exchange, Flow } from '../exchange/exchange.ts';
import { hashedPaymentId } from '../exchange/payment-in-request.ts';
import type { PresentedPayment } from './presented-payment.ts';
import { redeem } from './redeem.ts';

/** Payments of a fixed price. */
export const exactFlow: Flow = {
  scheme: 'exact',
  offers: { server: ExactAvmServer },
  serve: (exchange, payload) => redeem(exchange, payload, exactPayment),
};

/**
 * Checks a payment, except for its signatures. Makes no network calls, and reads no body.
 * @throws X402Error `invalid_payment_identifier`, `payment_id_required`, or a wire reason (`invalid_exact_avm_*`)
 */
function exactPayment({ offers }: Exchange, sent: PaymentPayload): PresentedPayment {
  const payload = withNamedFeePayer(sent);
  const paymentId = hashedPaymentId(offers, payload);
  const { txId, groupDigest, payer, lastValid, isJudgedByChain, exact } = checkPaymentTerms(payload, payload.accepted);
  const isSignedByPayer = exact.transfer.signed.signature !== undefined && !isJudgedByChain;
  return {
    payload,
    txId,
    groupDigest,
    payer,
    route: offers.id,
    ...(paymentId !== undefined && { paymentId }),
    isJudgedByChain,
    ...(isSignedByPayer && { signedUntil: lastValid }),
    checkSignature: () => checkSignature(exact),
  };
}
