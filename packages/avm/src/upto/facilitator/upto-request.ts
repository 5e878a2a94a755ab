import { X402Error } from '@avm402/core/errors';
import type { RefusedGroup } from '../../node/ask-node.ts';
import { chainRefusal } from '../../node/chain-refusal.ts';
import { type FacilitatorNetwork, type Sponsor, sponsorshipTerms } from '../../sponsorship/sponsor.ts';
import { type SponsoredGroup, verifyGroup } from '../../sponsorship/sponsored-group.ts';
import { checkAuthorizationNow } from '../checks/authorization.ts';
import type { CheckedUpto, UptoSettlement } from './upto-charge.ts';
import { mostFeeOf } from './upto-fee.ts';

/** An authorization that names an account of this facilitator as its fee payer, on a network that it serves. */
export interface UptoRequest {
  readonly upto: CheckedUpto;
  readonly network: FacilitatorNetwork;
  readonly sponsor: Sponsor;
}

/**
 * Finds the account that settles an authorization: one of this facilitator's.
 * @throws X402Error `unsupported_network`, `invalid_upto_avm_unsigned_non_facilitator`
 */
export function uptoRequest(upto: CheckedUpto, network: FacilitatorNetwork | undefined): UptoRequest {
  if (network === undefined) throw new X402Error('unsupported_network');
  const { sponsor } = network;
  if (sponsor === undefined || !sponsor.accounts.has(upto.payment.authorization.feePayer)) {
    throw new X402Error('invalid_upto_avm_unsigned_non_facilitator');
  }
  return { upto, network, sponsor };
}

/**
 * Verifies that the chain accepts the settlement now and that policy pays its fee, by an account that closes no channels.
 * Policy is applied to the maximum, so that a verified authorization is not refused because its charge is low; low
 * charges have a separate budget.
 * @throws X402Error with a wire reason, or `algod_unreachable`
 */
export async function verifyUpto(
  { upto: { payment, amount: charged }, network, sponsor }: UptoRequest,
  { members }: UptoSettlement,
): Promise<SponsoredGroup> {
  const { receiver, token: assetId, maxAmount: amount, feePayer } = payment.authorization;
  if (feePayer === sponsor.account.address) {
    throw new X402Error('invalid_upto_avm_authorization', { message: 'its fee payer closes channels' });
  }
  const terms = sponsorshipTerms({ receiver, assetId, amount }, sponsor, 'upto');
  const parties = { terms, payTo: receiver, payer: payment.payer, advance: charged < sponsor.minAmount };
  const group = await verifyGroup(
    { scheme: 'upto', members, ours: [0], parties, mostFee: mostFeeOf(sponsor) },
    network,
  );
  if ('refusal' in group) throw refused(group, sponsor);
  checkAuthorizationNow(payment, group.round);
  return group;
}

/** Nobody else has an authorization's random bytes, so if its lease is held, another charge under it has settled. */
function refused({ refusal }: RefusedGroup, { accounts }: Sponsor): X402Error {
  if (refusal.kind === 'lease_held') return new X402Error('invalid_upto_avm_settled');
  return chainRefusal(refusal, accounts, 'upto');
}
