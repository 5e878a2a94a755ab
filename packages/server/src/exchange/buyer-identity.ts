import { createHash } from 'node:crypto';
import { X402Error } from '@avm402/core/errors';
import { paymentIdOf } from '@avm402/core/payment-identifier';
import { peerOf } from '@avm402/core/peer';
import type { PaymentPayload } from '@x402/core/types';
import type { Exchange } from './exchange.ts';
import { fingerprint } from '../request/fingerprint.ts';

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

/** Largest body, in bytes, by which requests are told apart; requests with a larger one get no stored response. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * The fingerprint of a request whose payment is signed. Its body waits for the handler, so it counts until the request
 * is answered. It counts for the peer that sent it, because anyone with a key can sign. Undefined if the body is too
 * large, or if something else has read it and did not keep its bytes: what was parsed from two bodies may be the same
 * although the bytes differ.
 * @throws X402Error `too_many_bodies_held`
 */
export async function fingerprintOf({ request, responder, seller }: Exchange): Promise<string | undefined> {
  if (responder.isClosed) return undefined;
  const share = seller.bodies.share(peerOf(request.address));
  responder.onClose(() => share.free());
  const body = await request.bodyParts(MAX_BODY_BYTES, (bytes) => {
    if (!share.take(bytes)) throw new X402Error('too_many_bodies_held');
  });
  return body && fingerprint(request, body);
}
