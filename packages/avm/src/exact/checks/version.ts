import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@avm402/core/payment-payload';

/** Only version 2 of the protocol is spoken. Throws X402Error `invalid_exact_avm_invalid_version`. */
export function checkVersion({ x402Version }: PaymentPayload): void {
  if (x402Version === 2) return;
  throw new X402Error('invalid_exact_avm_invalid_version', { message: `x402Version must be 2, not ${x402Version}` });
}
