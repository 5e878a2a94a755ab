import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { FacilitatorNetwork } from '../../sponsorship/sponsor.ts';
import type { VerifiedGroup } from '../../sponsorship/sponsored-group.ts';
import type { OfflinePayment } from '../check-payment-offline.ts';

/** A payment that passed all offline checks, for requirements on a network that this facilitator serves. */
export interface CheckedPayment extends OfflinePayment {
  readonly requirements: PaymentRequirements;
  /** Hex SHA-256 of the requirements. */
  readonly requirementsDigest: string;
  readonly network: FacilitatorNetwork;
}

/** A payment that the chain would accept, and whose fee this facilitator pays if the payment asks for it. */
export interface VerifiedPayment extends CheckedPayment {
  readonly group: VerifiedGroup;
}
