import { X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork, networksEqual } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';

/** Offer and requirements name one Algorand network, in any of its spellings. Throws X402Error `invalid_exact_avm_network_mismatch`. */
export function checkNetwork({ accepted }: PaymentPayload, requirements: PaymentRequirements): void {
  if (isAlgorandNetwork(requirements.network) && networksEqual(accepted.network, requirements.network)) return;
  throw new X402Error('invalid_exact_avm_network_mismatch', {
    message: `one Algorand network is expected: accepted "${accepted.network}", required "${requirements.network}"`,
  });
}
