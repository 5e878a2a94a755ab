import { createHash } from 'node:crypto';
import { X402Error } from '@avm402/core/errors';
import { decodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { PAYMENT_IDENTIFIER, paymentIdOf } from '@avm402/core/payment-identifier';
import { REQUEST_ID_HEADER } from '@avm402/core/request-id';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Exchange } from './exchange.ts';
import { PaymentQuestion } from '../facilitator/payment-question.ts';
import { fingerprint } from '../request/fingerprint.ts';
import { peerOf } from '../request/peer.ts';
import type { RequestFacts } from '../request/request-facts.ts';

/** Whether a request carries a payment. */
export function carriesPayment(request: RequestFacts): boolean {
  return request.header(PAYMENT_SIGNATURE_HEADER) !== undefined;
}

/**
 * Reads the payment header. The scheme's own part is not read yet.
 * @throws X402Error `header_too_large`, `invalid_payment_header`, `invalid_payment_payload`
 */
export function paymentIn({ request, seller }: Exchange): PaymentPayload {
  return decodePaymentSignatureHeader(request.header(PAYMENT_SIGNATURE_HEADER) ?? '', seller.options.maxHeaderBytes);
}

/**
 * The fingerprint of a request whose payment is signed. Its body waits for the handler, so it counts until the request
 * is answered. It counts for the peer that sent it, because anyone with a key can sign.
 * @throws X402Error `too_many_bodies_held`
 */
export async function fingerprintOf({ request, responder, seller }: Exchange): Promise<string | undefined> {
  if (responder.isClosed) return undefined;
  const share = seller.bodies.share(peerOf(request));
  responder.onClose(() => share.free());
  return fingerprint(request, (bytes) => {
    if (!share.take(bytes)) throw new X402Error('too_many_bodies_held');
  });
}

/**
 * The buyer's payment id, hashed because it is the buyer's secret.
 * @throws X402Error `invalid_payment_identifier`, `payment_id_required`
 */
export function hashedPaymentId({ isPaymentIdRequired }: Exchange['offers'], sent: PaymentPayload): string | undefined {
  const paymentId = paymentIdOf(sent);
  if (paymentId !== undefined) return createHash('sha256').update(paymentId).digest('hex');
  if (isPaymentIdRequired) throw new X402Error('payment_id_required');
  return undefined;
}

/**
 * The question for the facilitator: the payment, with the resource and extensions that the seller declared. What the
 * payer says about those is left out because facilitators list it, and the payment id because it is the buyer's secret.
 */
export function questionAbout(
  { offers, url, context, requestId }: Exchange,
  { payload: { x402Version, payload } }: { readonly payload: PaymentPayload },
  requirements: PaymentRequirements,
  accepted = requirements,
): PaymentQuestion {
  const resource = offers.resource(url);
  const { [PAYMENT_IDENTIFIER]: _secret, ...extensions } = offers.completedExtensions(context);
  const shown = { x402Version, resource, accepted, payload, extensions };
  return new PaymentQuestion(shown, requirements, { [REQUEST_ID_HEADER]: requestId });
}
