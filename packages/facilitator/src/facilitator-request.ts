import { X402Error } from '@avm402/core/errors';
import { isObject } from '@avm402/core/unknown-json';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** The body of verify and settle. Its two messages are not parsed yet: a fault in them is a refusal, not an error. */
export interface FacilitatorRequest {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

/**
 * Splits a body into its messages. It throws only if the body is not a request at all; every answer needs `network`.
 * @throws X402Error `invalid_request`
 */
export function parseFacilitatorRequest(body: unknown): FacilitatorRequest {
  const { paymentPayload, paymentRequirements } = isObject(body) ? body : {};
  if (!isObject(paymentPayload) || !isObject(paymentRequirements)) throw new X402Error('invalid_request');
  return { paymentPayload, paymentRequirements } as unknown as FacilitatorRequest;
}
