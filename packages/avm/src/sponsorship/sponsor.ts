import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { AssetTransferTransaction } from '@avm402/algorand/transaction';
import { schemeCode, type SchemeInCodes, X402Error } from '@avm402/core/errors';

/** The payments whose fees a facilitator pays. */
export interface SponsorshipPolicy {
  /** Sellers whose payments are sponsored. */
  readonly payTo: ReadonlySet<string>;
  /** Asset ids, in decimal, that those sellers may be paid in. */
  readonly assets: ReadonlySet<string>;
  /** The least amount sponsored for those sellers, in atomic units. */
  readonly minAmount: bigint;
  /** Whether all other payments are sponsored too, on a separate budget. */
  readonly anyone: boolean;
}

/** The terms under which a payment is sponsored: the seller is listed, or anyone is sponsored. */
export type SponsorshipTerms = 'listed' | 'anyone';

/** The facts that decide which budgets pay for a sponsored payment. */
export interface SponsoredParties {
  readonly terms: SponsorshipTerms;
  readonly payTo: string;
  readonly payer: string;
  /**
   * Whether the sponsor pays before the seller has received an amount worth the fee: for a channel, or for a charge
   * below the least amount.
   */
  readonly advance: boolean;
}

/** The accounts that pay fees, and the policy that they follow. */
export interface Sponsor extends SponsorshipPolicy {
  /** Closes and funds the offered channels. It never changes, because a channel names it for its whole life. */
  readonly account: Account;
  /** All accounts that pay fees, by address. Each signs for the groups that name it, whichever one new offers name. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** The address that new offers name as fee payer. */
  feePayer(): string;
  /**
   * The address that new offers of `upto` name. It is never `account`, because the buyer chooses the lease that this
   * address signs: if `account` held a channel's lease, no close of that channel would be confirmed. Absent if no other
   * account pays fees.
   */
  uptoFeePayer(): string | undefined;
  /** The most µAlgo that one payment may cost. */
  readonly maxFee: bigint;
  /** µAlgo that may still be spent on a payment of these parties. */
  budgetLeft(parties: SponsoredParties): Promise<bigint>;
}

/** One Algorand network that a facilitator serves. */
export interface FacilitatorNetwork {
  /** Standard base64, 44 characters. */
  readonly genesisHash: string;
  /** The queries that verification makes to a node of this network. */
  readonly algod: Pick<AlgodClient, 'simulate' | 'params'>;
  /** The latest round that is known without asking a node. */
  lastRound(): bigint;
  /** If absent, every payment must carry its own fee. */
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
