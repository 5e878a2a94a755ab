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
export { PaymentVerifier, type PaymentVerifierOptions } from './payment-verifier.ts';
export type { CheckedPayment, VerifiedPayment } from './verified-payment.ts';
