/** The facilitator's part that all schemes share: who pays fees, the one gate that signs for a sponsor, and refusals. */
export { chainRefusal } from '../node/chain-refusal.ts';
export { isRefusal, type Settle } from './refusal.ts';
export { requirementsDigest } from './requirements-digest.ts';
export type { FacilitatorNetwork, Sponsor, SponsoredParties, SponsorshipPolicy, SponsorshipTerms } from './sponsor.ts';
export { signSponsored, type VerifiedGroup } from './sponsored-group.ts';
