import { canonicalNetwork } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { hexDigest } from '../hex-digest.ts';

/**
 * Hex SHA-256 of what the requirements ask for, the same for all spellings of one network. What does not change who is paid
 * what (descriptions, timeouts, extras of other SDKs) is left out.
 */
export function requirementsDigest(requirements: PaymentRequirements): string {
  const { scheme, network, asset, amount, payTo, extra } = requirements;
  const feePayer = typeof extra['feePayer'] === 'string' ? extra['feePayer'] : '';
  const fields = [scheme, canonicalNetwork(network), asset, amount, payTo, feePayer];
  return hexDigest(new TextEncoder().encode(JSON.stringify(fields)));
}
