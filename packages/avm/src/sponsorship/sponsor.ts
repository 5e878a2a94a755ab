import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { AssetTransferTransaction } from '@avm402/algorand/transaction';
import { schemeCode, type SchemeInCodes, X402Error } from '@avm402/core/errors';

/** Whose fees a facilitator pays. */
export interface SponsorshipPolicy {
  /** Sellers whose payments are sponsored. */
  readonly payTo: ReadonlySet<string>;
  /** Asset ids, in decimal, that those sellers may be paid in. */
  readonly assets: ReadonlySet<string>;
  /** The least amount sponsored for them, in atomic units. */
  readonly minAmount: bigint;
  /** Whether all other payments are sponsored too (on a budget of their own). */
  readonly anyone: boolean;
}

/** Under which terms a payment is sponsored: the seller is listed, or anyone is. */
export type SponsorshipTerms = 'listed' | 'anyone';

/** What decides which budgets a sponsored payment is paid from. */
export interface SponsoredParties {
  readonly terms: SponsorshipTerms;
  readonly payTo: string;
  readonly payer: string;
  /** Whether the sponsor pays before the seller has got what that is worth: a channel, or a charge below the least amount. */
  readonly advance: boolean;
}

/** The accounts that pay fees, and for whom. */
export interface Sponsor extends SponsorshipPolicy {
  /** Closes and funds the channels that are offered: always the same one, for a channel names it as long as it lives. */
  readonly account: Account;
  /** All that pay fees, by address. Each signs for the groups that name it, whichever is offered meanwhile. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** The address that new offers name as fee payer. */
  feePayer(): string;
  /**
   * The address that new offers of `upto` name, never `account`: a buyer chooses the lease that it signs there, and with a
   * lease held for a channel no close of it would be confirmed. Absent: no other account pays fees.
   */
  uptoFeePayer(): string | undefined;
  /** µAlgo that one payment may cost, at most. */
  readonly maxFee: bigint;
  /** µAlgo that may still be spent on a payment of these parties. */
  budgetLeft(parties: SponsoredParties): Promise<bigint>;
}

/** One Algorand network that a facilitator serves. */
export interface FacilitatorNetwork {
  /** Standard base64, 44 characters. */
  readonly genesisHash: string;
  /** What verification asks of a node of this network. */
  readonly algod: Pick<AlgodClient, 'simulate' | 'params'>;
  /** The latest round that is known without asking. */
  lastRound(): bigint;
  /** Absent: every payment carries its own fee. */
  readonly sponsor?: Sponsor;
}

/**
 * The terms under which a facilitator pays for a transfer.
 * @throws X402Error the scheme's `_not_sponsored`
 */
export function sponsorshipTerms(
  { receiver, assetId, amount }: Pick<AssetTransferTransaction, 'receiver' | 'assetId' | 'amount'>,
  policy: SponsorshipPolicy,
  scheme: SchemeInCodes,
): SponsorshipTerms {
  const isListed = policy.payTo.has(receiver) && policy.assets.has(String(assetId)) && amount >= policy.minAmount;
  if (isListed) return 'listed';
  if (policy.anyone) return 'anyone';
  throw new X402Error(schemeCode(scheme, 'not_sponsored'), {
    message: `this facilitator does not pay the fee of ${amount} of asset ${assetId} to ${receiver}`,
  });
}
