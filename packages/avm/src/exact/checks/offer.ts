import { X402_VERSION } from '@avm402/core/payment-required';
import { X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork, networksEqual } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';

/**
 * Checks that the payment uses version 2 of the protocol.
 * @throws X402Error `invalid_exact_avm_invalid_version`
 */
export function checkVersion({ x402Version }: PaymentPayload): void {
  if (x402Version === X402_VERSION) return;
  throw new X402Error('invalid_exact_avm_invalid_version', {
    message: `x402Version must be ${X402_VERSION}, not ${x402Version}`,
  });
}

/**
 * Checks that both the offer and the requirements are of the scheme `exact`.
 * @throws X402Error `invalid_exact_avm_scheme`
 */
export function checkScheme({ accepted }: PaymentPayload, requirements: PaymentRequirements): void {
  if (accepted.scheme === 'exact' && requirements.scheme === 'exact') return;
  throw new X402Error('invalid_exact_avm_scheme', {
    message: `the scheme must be "exact": accepted "${accepted.scheme}", required "${requirements.scheme}"`,
  });
}

/**
 * Checks that the offer and the requirements name the same Algorand network, in any spelling.
 * @throws X402Error `invalid_exact_avm_network_mismatch`
 */
export function checkNetwork({ accepted }: PaymentPayload, requirements: PaymentRequirements): void {
  if (isAlgorandNetwork(requirements.network) && networksEqual(accepted.network, requirements.network)) return;
  throw new X402Error('invalid_exact_avm_network_mismatch', {
    message: `one Algorand network is expected: accepted "${accepted.network}", required "${requirements.network}"`,
  });
}

/**
 * Checks that the offer that the payer accepted is the one that the seller requires. The rest of `extra` is ignored:
 * some clients keep only `feePayer` of it, some servers add to it.
 * @throws X402Error `invalid_exact_avm_accepted_mismatch`
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
