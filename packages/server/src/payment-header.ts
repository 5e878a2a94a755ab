import { createHash } from 'node:crypto';
import { checkPaymentOffline, type OfflinePayment } from '@avm402/avm/exact/server';
import { X402Error } from '@avm402/core/errors';
import { decodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { PAYMENT_IDENTIFIER, paymentIdOf } from '@avm402/core/payment-identifier';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Request } from 'express';
import type { Exchange } from './exchange.ts';

/** A payment that a request carries, right in itself; what it pays for and whether the chain takes it are open. */
export interface CarriedPayment {
  readonly payload: PaymentPayload;
  readonly payment: OfflinePayment;
  /** Hex SHA-256 of the buyer's payment id: the id itself is a secret of his, and is not kept. */
  readonly paymentId?: string;
}

/** Whether a request carries a payment. */
export function carriesPayment(request: Request): boolean {
  return request.headers[PAYMENT_SIGNATURE_HEADER.toLowerCase()] !== undefined;
}

/**
 * Reads and checks the payment header; asks nobody.
 * @throws X402Error `header_too_large`, `invalid_payment_header`, `invalid_payment_payload`,
 * `invalid_payment_identifier`, `payment_id_required`, or a wire reason (`invalid_exact_avm_*`)
 */
export function carriedPayment(
  request: Request,
  { maxHeaderBytes, isPaymentIdRequired }: { readonly maxHeaderBytes: number; readonly isPaymentIdRequired: boolean },
): CarriedPayment {
  const header = request.get(PAYMENT_SIGNATURE_HEADER) ?? '';
  if (header.length > maxHeaderBytes) {
    throw new X402Error('header_too_large', {
      message: `${PAYMENT_SIGNATURE_HEADER} has ${header.length} characters; ${maxHeaderBytes} are read`,
    });
  }
  const payload = decodePaymentSignatureHeader(header);
  const paymentId = paymentIdOf(payload);
  if (paymentId === undefined && isPaymentIdRequired) throw new X402Error('payment_id_required');
  const payment = checkPaymentOffline(payload, payload.accepted);
  return {
    payload,
    payment,
    ...(paymentId === undefined ? {} : { paymentId: createHash('sha256').update(paymentId).digest('hex') }),
  };
}

/**
 * The payment as the facilitator gets it: what was paid, and what the seller declared. A payer's own idea of resource
 * and extensions is left out, for facilitators catalogue it, and so is the payment id, which is the buyer's secret.
 */
export function forFacilitator(
  { offers, url, context }: Exchange,
  { x402Version, payload }: PaymentPayload,
  requirements: PaymentRequirements,
): PaymentPayload {
  const resource = offers.resource(url);
  const { [PAYMENT_IDENTIFIER]: _secret, ...extensions } = offers.completedExtensions(context);
  return { x402Version, resource, accepted: requirements, payload, extensions };
}
