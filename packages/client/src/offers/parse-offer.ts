import { isX402Error, X402Error } from '@avm402/core/errors';
import { decodePaymentRequiredHeader, PAYMENT_REQUIRED_HEADER } from '@avm402/core/headers';
import { type PaymentRequired, X402_VERSION } from '@avm402/core/payment-required';

/** The offer in a response. */
export type ParsedOffer =
  /** Not x402: the response belongs to the caller. */
  | { readonly kind: 'none' }
  /** A 402 whose offer can't be read. */
  | { readonly kind: 'malformed'; readonly problem: X402Error }
  | { readonly kind: 'offer'; readonly required: PaymentRequired };

/**
 * Reads the offer of a response. Only the header of a 402 counts; its body doesn't, nor does the header with another
 * status.
 */
export function parseOffer(response: Response, decode = decodePaymentRequiredHeader): ParsedOffer {
  const header = response.status === 402 ? response.headers.get(PAYMENT_REQUIRED_HEADER) : null;
  if (header === null) return { kind: 'none' };
  try {
    const required = decode(header);
    if (required.x402Version === X402_VERSION) return { kind: 'offer', required };
    const message = `the offer is of x402 version ${required.x402Version}; version ${X402_VERSION} is paid`;
    return { kind: 'malformed', problem: new X402Error('invalid_payment_required', { message }) };
  } catch (error) {
    if (isX402Error(error)) return { kind: 'malformed', problem: error };
    throw error;
  }
}

/** The offer of a response; undefined also if it can't be read. */
export function offerIn(response: Response): PaymentRequired | undefined {
  const offer = parseOffer(response);
  return offer.kind === 'offer' ? offer.required : undefined;
}
