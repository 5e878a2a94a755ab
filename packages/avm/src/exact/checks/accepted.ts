import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';

/**
 * The offer that the payer accepted is the one that the seller asks for. The rest of `extra` is ignored: some clients
 * keep only `feePayer` of it, some servers add to it. Throws X402Error `invalid_exact_avm_accepted_mismatch`.
 */
export function checkAccepted({ accepted }: PaymentPayload, requirements: PaymentRequirements): void {
  for (const field of ['asset', 'amount', 'payTo'] as const) {
    if (accepted[field] === requirements[field]) continue;
    throw new X402Error('invalid_exact_avm_accepted_mismatch', {
      message: `${field} differs: accepted "${accepted[field]}", required "${requirements[field]}"`,
      details: { field },
    });
  }
}
