import type { Account } from '@avm402/algorand/account';
import { networkByGenesisHash } from '@avm402/algorand/networks';
import type { Sponsor } from '@avm402/avm/exact/facilitator';
import { X402Error } from '@avm402/core/errors';
import type { Chain } from './chain.ts';
import type { Budget } from './settlement-store.ts';

/** Whose network fees the facilitator pays, and from which account. */
export interface SponsorshipOptions {
  /** The account that pays. */
  readonly account: Account;
  /** Addresses of sellers whose payments are sponsored. */
  readonly payTo?: readonly string[];
  /** Asset ids, in decimal, that they may be paid in. Default: the network's USDC. */
  readonly assets?: readonly string[];
  /** Least amount sponsored for them, in atomic units. Default 1. */
  readonly minAmount?: bigint;
  /** Whether everybody else's payments are sponsored too. Default: only on development networks. */
  readonly anyone?: boolean;
  /** µAlgo a day for everybody else on one network. Default: 1 Algo; unlimited on development networks. */
  readonly anyoneBudget?: bigint;
  /** µAlgo that one payment may cost, at most. Default 10,000. */
  readonly maxFee?: bigint;
}

export const DEFAULT_MAX_FEE = 10_000n;
const DEFAULT_ANYONE_BUDGET = 1_000_000n;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The sponsor on one network; none if there is nobody to pay for, so that no fee payer is advertised. */
export function sponsorOn(
  chain: Chain,
  options: SponsorshipOptions,
  books: { readonly anyoneSpent: (since: number) => Promise<bigint>; readonly now: () => number },
): Sponsor | undefined {
  const { account, payTo = [], minAmount = 1n, anyone = chain.development, maxFee = DEFAULT_MAX_FEE } = options;
  if (payTo.length === 0 && !anyone) return undefined;
  return {
    account,
    payTo: new Set(payTo),
    assets: new Set(options.assets ?? defaultAssets(chain, payTo)),
    minAmount,
    anyone,
    maxFee,
    anyoneBudget: async () => {
      const budget = anyoneBudgetOn(chain, options, books.now());
      return budget === undefined ? maxFee : budget.microAlgos - (await books.anyoneSpent(budget.since));
    },
  };
}

/** What everybody else's payments may cost on a network; `undefined`: anything. */
export function anyoneBudgetOn(chain: Chain, options: SponsorshipOptions, now: number): Budget | undefined {
  if (options.anyoneBudget === undefined && chain.development) return undefined;
  return { microAlgos: options.anyoneBudget ?? DEFAULT_ANYONE_BUDGET, since: now - DAY_MS };
}

function defaultAssets({ genesisHash, network }: Chain, payTo: readonly string[]): string[] {
  const usdc = networkByGenesisHash(genesisHash)?.usdcAssetId;
  if (usdc !== undefined) return [String(usdc)];
  if (payTo.length === 0) return [];
  throw new X402Error('environment_invalid', {
    message: `SPONSOR_ASSETS: no USDC is known on ${network}; name the ids of the assets whose payments are sponsored`,
  });
}
