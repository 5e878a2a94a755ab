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

/**
 * The fingerprint of a request whose payment is signed. Its body waits for the handler, so it counts until the request
 * is answered. It counts for the peer that sent it, because anyone with a key can sign.
 * @throws X402Error `too_many_bodies_held`
 */
export async function fingerprintOf({ request, responder, seller }: Exchange): Promise<string | undefined> {
  if (responder.isClosed) return undefined;
  const share = seller.bodies.share(peerOf(request.address));
  responder.onClose(() => share.free());
  return fingerprint(request, (bytes) => {
    if (!share.take(bytes)) throw new X402Error('too_many_bodies_held');
  });
}
