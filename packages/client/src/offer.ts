import { isX402Error } from '@avm402/core/errors';
import { decodePaymentRequiredHeader, PAYMENT_REQUIRED_HEADER } from '@avm402/core/headers';
import type { PaymentRequired } from '@avm402/core/payment-required';

/** The offer of a 402; undefined for any other response, and for a 402 that is not x402 or that cannot be read. */
export function offerOf(response: Response): PaymentRequired | undefined {
  if (response.status !== 402) return undefined;
  const header = response.headers.get(PAYMENT_REQUIRED_HEADER);
  if (header === null) return undefined;
  try {
    const offer = decodePaymentRequiredHeader(header);
    return offer.x402Version === 2 ? offer : undefined;
  } catch (error) {
    if (isX402Error(error)) return undefined;
    throw error;
  }
}
