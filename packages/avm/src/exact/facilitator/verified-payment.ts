import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { OfflinePayment } from '../check-payment-offline.ts';
import type { SponsorshipTerms } from '../checks/sponsorship.ts';
import type { FacilitatorNetwork } from './facilitator-network.ts';
import { signAs } from './sign-as.ts';

/** A payment that is right in itself, for requirements on a network that this facilitator serves. */
export interface CheckedPayment extends OfflinePayment {
  readonly requirements: PaymentRequirements;
  /** Hex SHA-256 of what the requirements ask for. */
  readonly requirementsDigest: string;
  readonly network: FacilitatorNetwork;
}

declare const verified: unique symbol;

/** A payment that the chain would take, and whose fee this facilitator pays if it asks for that. Only PaymentVerifier makes one. */
export interface VerifiedPayment extends CheckedPayment {
  readonly [verified]: true;
  /** Under which terms the fee is sponsored; absent when the payment carries its own. */
  readonly terms?: SponsorshipTerms;
  /** The latest round that the verification knew of. */
  readonly verifiedRound: bigint;
}

/**
 * The group as it is submitted: the fee payer's transaction signed, then the payment exactly as it came. This is the
 * only place where a sponsor signs.
 */
export function signGroup({ exact, network }: VerifiedPayment): Uint8Array[] {
  const { feePayer, transfer } = exact;
  if (feePayer === undefined) return [transfer.bytes];
  if (network.sponsor === undefined) throw new X402Error('invalid_exact_avm_unsigned_non_facilitator');
  return [signAs(network.sponsor, feePayer.transaction), transfer.bytes];
}
