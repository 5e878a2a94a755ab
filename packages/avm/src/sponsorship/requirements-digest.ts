import { canonicalNetwork } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { hexDigest } from '../wire/hex-digest.ts';

/**
 * Hex SHA-256 of the requirements, the same for all spellings of one network. Members that don't change who is paid
 * what (descriptions, timeouts, extras of other SDKs) are left out.
 */
export function requirementsDigest(requirements: PaymentRequirements): string {
  const { scheme, network, asset, amount, payTo, extra } = requirements;
  const feePayer = typeof extra['feePayer'] === 'string' ? extra['feePayer'] : '';
  const fields = [scheme, canonicalNetwork(network), asset, amount, payTo, feePayer];
  return hexDigest(new TextEncoder().encode(JSON.stringify(fields)));
}
