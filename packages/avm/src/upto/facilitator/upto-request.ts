import { X402Error } from '@avm402/core/errors';
import type { RefusedGroup } from '../../node/ask-node.ts';
import { chainRefusal } from '../../node/chain-refusal.ts';
import { type FacilitatorNetwork, type Sponsor, sponsorshipTerms } from '../../sponsorship/sponsor.ts';
import { type SponsoredGroup, verifyGroup } from '../../sponsorship/sponsored-group.ts';
import { checkAuthorizationNow } from '../check-authorization.ts';
import type { CheckedUpto, UptoSettlement } from './upto-verifier.ts';

/** An authorization whose fee payer is this facilitator, on a network that it serves. */
export interface UptoRequest {
  readonly upto: CheckedUpto;
  readonly network: FacilitatorNetwork;
  readonly sponsor: Sponsor;
}

/**
 * Who settles an authorization: an account of this facilitator that closes no channels.
 * @throws X402Error `unsupported_network`, `invalid_upto_avm_unsigned_non_facilitator`, `invalid_upto_avm_authorization`
 */
export function uptoRequest(upto: CheckedUpto, network: FacilitatorNetwork | undefined): UptoRequest {
  if (network === undefined) throw new X402Error('unsupported_network');
  const { sponsor } = network;
  if (sponsor === undefined || !sponsor.accounts.has(upto.payment.authorization.feePayer)) {
    throw new X402Error('invalid_upto_avm_unsigned_non_facilitator');
  }
  if (upto.payment.authorization.feePayer === sponsor.account.address) {
    throw new X402Error('invalid_upto_avm_authorization', { message: 'its fee payer closes channels' });
  }
  return { upto, network, sponsor };
}

/**
 * Whether the chain takes the settlement now, and policy pays its fee: by the maximum, so that what was verified is not
 * refused because it was cheap. But a cheap one has a budget of its own.
 * @throws X402Error with a wire reason, or `algod_unreachable`
 */
export async function verifyUpto(
  { upto: { payment, amount: charged }, network, sponsor }: UptoRequest,
  { members }: UptoSettlement,
): Promise<SponsoredGroup> {
  const { receiver, token: assetId, maxAmount: amount } = payment.authorization;
  const terms = sponsorshipTerms({ receiver, assetId, amount }, sponsor, 'upto');
  const parties = { terms, payTo: receiver, payer: payment.payer, advance: charged < sponsor.minAmount };
  const group = await verifyGroup({ scheme: 'upto', members, ours: [0], parties, mostFee: sponsor.maxFee }, network);
  if ('refusal' in group) throw refused(group, sponsor);
  checkAuthorizationNow(payment, group.round);
  return group;
}

/** Nobody else has an authorization's random bytes: what holds its lease is another charge under it. */
function refused({ refusal }: RefusedGroup, { accounts }: Sponsor): X402Error {
  if (refusal.kind === 'lease_held') return new X402Error('invalid_upto_avm_settled');
  return chainRefusal(refusal, accounts, 'upto');
}
