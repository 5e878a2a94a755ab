import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';

/** Offer and requirements are both of the scheme `exact`. Throws X402Error `invalid_exact_avm_scheme`. */
export function checkScheme({ accepted }: PaymentPayload, requirements: PaymentRequirements): void {
  if (accepted.scheme === 'exact' && requirements.scheme === 'exact') return;
  throw new X402Error('invalid_exact_avm_scheme', {
    message: `the scheme must be "exact": accepted "${accepted.scheme}", required "${requirements.scheme}"`,
  });
}
