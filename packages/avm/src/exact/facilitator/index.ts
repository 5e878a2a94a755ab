export { ExactAvmFacilitator, type ExactAvmFacilitatorOptions, type Settle } from './exact-avm-facilitator.ts';
export { isRefusal } from './refusal.ts';
export { chainRefusal } from './chain-refusal.ts';
export { groupFee, sponsorshipTerms } from '../checks/sponsorship.ts';
export type { SponsorshipPolicy, SponsorshipTerms } from '../checks/sponsorship.ts';
export type { FacilitatorNetwork, SponsoredParties, Sponsor } from './facilitator-network.ts';
export { requirementsDigest } from './requirements-digest.ts';
export { PaymentVerifier, type PaymentVerifierOptions } from './payment-verifier.ts';
export { type CheckedPayment, signGroup, type VerifiedPayment } from './verified-payment.ts';
