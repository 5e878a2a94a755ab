import type { Account } from '@avm402/algorand/account';
import { requireAccount } from '@avm402/algorand/require-account';
import { networkByGenesisHash } from '@avm402/algorand/networks';
import type { SponsoredParties, Sponsor } from '@avm402/avm/sponsorship';
import { X402Error } from '@avm402/core/errors';
import { DAY_MS } from '@avm402/core/durations';
import type { Chain } from '../chain/chain.ts';
import type { Budget, BudgetScope } from '../settlement/settlement-store.ts';

/** The payments whose network fees the facilitator pays, and the accounts that pay them. */
export interface SponsorshipOptions {
  /** Pays fees, and closes and funds channels. */
  readonly account: Account;
  /**
   * More accounts that pay fees. `/supported` names the account that can pay for most payments. For the scheme `upto`
   * it names one of these accounts only; without them, `upto` is not offered. Default: none.
   */
  readonly moreAccounts?: readonly Account[];
  /** Addresses of sellers whose payments are sponsored. */
  readonly payTo?: readonly string[];
  /** Ids, in decimal, of the assets in which these sellers may be paid. Default: the network's USDC. */
  readonly assets?: readonly string[];
  /**
   * Least amount that is sponsored for these sellers, in atomic units. Default: the worth of the fee, a thousandth of a
   * USDC; it has no default for other assets. On development networks: 1.
   */
  readonly minAmount?: bigint;
  /** Whether everybody else's payments are sponsored as well. Default: only on development networks. */
  readonly anyone?: boolean;
  /** µAlgo a day for everybody else together on one network. Default: 1 Algo; unlimited on development networks. */
  readonly anyoneBudget?: bigint;
  /** µAlgo a day for each listed seller on one network. Default: 20 Algo; unlimited on development networks. */
  readonly payToBudget?: bigint;
  /** µAlgo a day for each payer on one network. Default: 2 Algo; unlimited on development networks. */
  readonly payerBudget?: bigint;
  /**
   * µAlgo a day for each listed seller, beside `payToBudget`, for costs that come before the seller has received what
   * they are worth: the fees of channels, and charges below `minAmount`. Everybody else together has the same budget,
   * at most `anyoneBudget`. Default: 5 Algo; unlimited on development networks.
   */
  readonly advanceBudget?: bigint;
  /**
   * µAlgo a day of such costs for each payer, within `payerBudget`. Default: 0.2 Algo; unlimited on development
   * networks.
   */
  readonly payerAdvanceBudget?: bigint;
  /** µAlgo a day for everybody together on one network. Default: no limit beyond the sum of the other budgets. */
  readonly totalBudget?: bigint;
  /** µAlgo that one payment may cost at most. Default 10,000. */
  readonly maxFee?: bigint;
}

export const DEFAULT_MAX_FEE = 10_000n;
/** µAlgo a day on public networks. */
export const BUDGET_DEFAULTS = {
  anyoneBudget: 1_000_000n,
  payToBudget: 20_000_000n,
  payerBudget: 2_000_000n,
  advanceBudget: 5_000_000n,
  payerAdvanceBudget: 200_000n,
} as const satisfies Partial<SponsorshipOptions>;
/** Worth more than the least fee of a sponsored group, 2,000 µAlgo, whenever an Algo costs less than half a dollar. */
export const MIN_USDC = 1_000n;

/** The parts of a chain that sponsorship depends on. */
type SponsoredChain = Pick<Chain, 'network' | 'genesisHash' | 'development'>;

/** The sponsor's present state. */
interface SponsorState {
  /** What is left of a budget in µAlgo, capped at `upTo`. */
  readonly left: (budget: Budget, upTo: bigint) => Promise<bigint>;
  /** The addresses that new offers name, those of `upto` apart. */
  readonly feePayer: () => string;
  readonly uptoFeePayer: () => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Every account that pays fees, each once. The first one closes and funds channels. */
export function sponsorAccounts({ account, moreAccounts = [] }: SponsorshipOptions): ReadonlyMap<string, Account> {
  return new Map([account, ...moreAccounts].map(requireAccount).map((one) => [one.address, one]));
}

/** The sponsor on one network; undefined if there is nobody to pay for, so that no fee payer is advertised. */
export function sponsorOn(
  chain: SponsoredChain,
  options: SponsorshipOptions,
  state: SponsorState,
): Sponsor | undefined {
  const { account, payTo = [], anyone = chain.development, maxFee = DEFAULT_MAX_FEE } = options;
  if (payTo.length === 0 && !anyone) return undefined;
  const assets = options.assets ?? defaultAssets(chain, payTo);
  return {
    account,
    accounts: sponsorAccounts(options),
    feePayer: state.feePayer,
    uptoFeePayer: state.uptoFeePayer,
    payTo: new Set(payTo),
    assets: new Set(assets),
    minAmount: options.minAmount ?? defaultMinAmount(chain, assets),
    anyone,
    maxFee,
    async budgetLeft(parties) {
      const budgets = budgetsOf(chain, options, { parties, now: state.now() });
      const left = await Promise.all(budgets.map((budget) => state.left(budget, maxFee)));
      return left.reduce((least, one) => (one < least ? one : least), maxFee);
    },
  };
}

/**
 * The budgets that cover a sponsored payment: that of all payments, that of its payer, and that of its seller or of
 * everybody else. Advances have budgets of their own, so that they can't use up those of payments.
 */
export function budgetsOf(
  { development }: SponsoredChain,
  options: SponsorshipOptions,
  { parties, now }: { readonly parties: SponsoredParties; readonly now: number },
): Budget[] {
  const defaults = development ? {} : BUDGET_DEFAULTS;
  const { anyoneBudget, payToBudget, payerBudget, totalBudget, advanceBudget, payerAdvanceBudget } = {
    ...defaults,
    ...options,
  };
  const { terms, payTo, payer, advance } = parties;
  const isListed = terms === 'listed';
  const ofPayments = isListed ? payToBudget : anyoneBudget;
  const ofAdvances = isListed ? advanceBudget : smaller(advanceBudget, anyoneBudget);
  const limits: { readonly scope: BudgetScope; readonly microAlgos: bigint | undefined }[] = [
    { scope: {}, microAlgos: totalBudget },
    { scope: { payer }, microAlgos: payerBudget },
    { scope: { terms, ...(isListed && { payTo }), advance }, microAlgos: advance ? ofAdvances : ofPayments },
  ];
  if (advance) {
    limits.push({ scope: { advance }, microAlgos: totalBudget && totalBudget / 2n });
    limits.push({ scope: { payer, advance }, microAlgos: payerAdvanceBudget });
  }
  return limits.flatMap(({ scope, microAlgos }) =>
    microAlgos === undefined ? [] : [{ scope, microAlgos, since: now - DAY_MS }],
  );
}

function smaller(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

function defaultMinAmount({ development, genesisHash }: SponsoredChain, assets: readonly string[]): bigint {
  if (development) return 1n;
  const usdc = networkByGenesisHash(genesisHash)?.usdcAssetId;
  if (assets.every((asset) => asset === String(usdc))) return MIN_USDC;
  throw new X402Error('environment_invalid', {
    message: 'SPONSOR_MIN_AMOUNT: name the least amount; what a fee is worth is known in USDC only',
  });
}

function defaultAssets({ genesisHash, network }: SponsoredChain, payTo: readonly string[]): string[] {
  const usdc = networkByGenesisHash(genesisHash)?.usdcAssetId;
  if (usdc !== undefined) return [String(usdc)];
  if (payTo.length === 0) return [];
  throw new X402Error('environment_invalid', {
    message: `SPONSOR_ASSETS: no USDC is known on ${network}; name the ids of the assets whose payments are sponsored`,
  });
}
