import { X402Error } from '@avm402/core/errors';
import { sponsorshipTerms, type SponsorshipTerms } from '../../exact/checks/sponsorship.ts';
import { signAs } from '../../exact/facilitator/sign-as.ts';
import type { FacilitatorNetwork, Sponsor } from '../../exact/facilitator/facilitator-network.ts';
import { type CheckedUpto, simulateUpto, type UptoSettlement } from './upto-verifier.ts';

/** An authorization whose fee payer is this facilitator, on a network that it serves. */
export interface UptoRequest {
  readonly upto: CheckedUpto;
  readonly network: FacilitatorNetwork;
  readonly sponsor: Sponsor;
}

/** A settlement that the chain would take, and that this facilitator pays for. */
export interface VerifiedUpto {
  readonly terms: SponsorshipTerms;
  /** Whether the charge is below the least amount that is sponsored. */
  readonly advance: boolean;
  /** The latest round that the verification knew of. */
  readonly round: bigint;
}

/**
 * Who settles an authorization: an account of this facilitator that closes no channels.
 * @throws X402Error `unsupported_network`, `invalid_exact_avm_unsigned_non_facilitator`, `invalid_upto_avm_authorization`
 */
export function uptoRequest(upto: CheckedUpto, network: FacilitatorNetwork | undefined): UptoRequest {
  if (network === undefined) throw new X402Error('unsupported_network');
  const { sponsor } = network;
  if (sponsor === undefined || !sponsor.accounts.has(upto.payment.authorization.feePayer)) {
    throw new X402Error('invalid_exact_avm_unsigned_non_facilitator');
  }
  if (upto.payment.authorization.feePayer === sponsor.account.address) {
    throw new X402Error('invalid_upto_avm_authorization', { message: 'its fee payer closes channels' });
  }
  return { upto, network, sponsor };
}

/**
 * Whether the chain takes the settlement now, and policy pays its fee.
 * @throws X402Error with a wire reason, or `algod_unreachable`
 */
export async function verifyUpto(request: UptoRequest, settlement: UptoSettlement): Promise<VerifiedUpto> {
  const { upto, network } = request;
  const advance = upto.amount < request.sponsor.minAmount;
  const terms = await checkSponsorship(request, settlement, advance);
  return { terms, advance, round: await simulateUpto(settlement, upto, network.algod) };
}

/** The group as it is submitted: the fee payer's member is signed, the transfer carries the payer's authorization. */
export function signUpto({ sponsor }: UptoRequest, { feePayer, transfer }: UptoSettlement): Uint8Array[] {
  return [signAs(sponsor, feePayer), transfer];
}

/** By the maximum: what was verified is not refused because it was cheap. But a cheap one has a budget of its own. */
async function checkSponsorship(
  { upto, sponsor }: UptoRequest,
  settlement: UptoSettlement,
  advance: boolean,
): Promise<SponsorshipTerms> {
  const { payer, authorization } = upto.payment;
  const { receiver, token: assetId, maxAmount: amount } = authorization;
  const { fee } = settlement.feePayer;
  if (sponsor.accounts.has(receiver)) throw new X402Error('invalid_exact_avm_not_sponsored');
  const terms = sponsorshipTerms({ receiver, assetId, amount }, sponsor);
  if (fee > sponsor.maxFee) throw new X402Error('invalid_exact_avm_fee_too_high');
  if (fee > (await sponsor.budgetLeft({ terms, payTo: receiver, payer, advance }))) {
    throw new X402Error('invalid_exact_avm_sponsor_budget');
  }
  return terms;
}
