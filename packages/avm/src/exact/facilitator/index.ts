export { ExactAvmFacilitator, type ExactAvmFacilitatorOptions } from './exact-avm-facilitator.ts';
export { isRefusal, type Settle } from '../../sponsorship/refusal.ts';
export { chainRefusal } from '../../node/chain-refusal.ts';
export { signSponsored, type VerifiedGroup } from '../../sponsorship/sponsored-group.ts';
export type {
  FacilitatorNetwork,
  SponsoredParties,
  Sponsor,
  SponsorshipPolicy,
  SponsorshipTerms,
} from '../../sponsorship/sponsor.ts';
export { requirementsDigest } from './requirements-digest.ts';
export {
  type CheckedPayment,
  PaymentVerifier,
  type PaymentVerifierOptions,
  type VerifiedPayment,
} from './payment-verifier.ts';
