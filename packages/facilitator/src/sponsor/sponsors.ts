import type { Sponsor, SponsoredParties } from '@avm402/avm/sponsorship';
import type { Network } from '@avm402/core/network';
import type { Chain } from '../chain/chain.ts';
import { FeePayers } from './fee-payers.ts';
import type { Log } from '../log/log.ts';
import type { Budget, SettlementStore } from '../settlement/settlement-store.ts';
import { Shortfalls } from './shortfalls.ts';
import { budgetsOf, sponsorAccounts, sponsorOn, type SponsorshipOptions } from './sponsorship.ts';
import type { TroubleLog } from '../log/trouble-log.ts';

export interface SponsorsOptions {
  /** Default: nobody is sponsored; payments carry their own fee. */
  readonly sponsorship: SponsorshipOptions | undefined;
  readonly store: Pick<SettlementStore, 'budgetLeft'>;
  readonly log: Log;
  readonly troubles: TroubleLog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The accounts that pay fees on each network of a facilitator, and the budgets. */
export class Sponsors {
  readonly #options: SponsorsOptions;
  readonly #feePayers = new Map<Network, FeePayers>();

  /** @throws AlgorandError `invalid_key` if an account is malformed */
  constructor(options: SponsorsOptions) {
    this.#options = options;
    if (options.sponsorship) sponsorAccounts(options.sponsorship);
  }

  /**
   * The sponsor on a connected network; undefined if there is nobody to pay for.
   * @throws X402Error `environment_invalid` if this network needs settings that are missing
   */
  connect(chain: Chain): Sponsor | undefined {
    const { sponsorship, store, log, troubles, now } = this.#options;
    if (sponsorship === undefined) return undefined;
    const { network, pool } = chain;
    const accounts = [...sponsorAccounts(sponsorship).values()];
    const feePayers = new FeePayers({ accounts, pool, log, troubles, now });
    const shortfalls = new Shortfalls(store);
    const left = (budget: Budget, upTo: bigint): Promise<bigint> => shortfalls.left(network, budget, upTo);
    const books = { left, feePayer: () => feePayers.offered, uptoFeePayer: () => feePayers.offeredForUpto, now };
    const sponsor = sponsorOn(chain, sponsorship, books);
    if (sponsor === undefined) return undefined;
    if (accounts.length === 1)
      log.info({ network }, 'upto is not offered: it needs a second fee payer (SPONSOR_PRIVATE_KEY)');
    this.#feePayers.set(network, feePayers);
    void feePayers.check();
    return sponsor;
  }

  /** The fee payers of a network; absent if nobody is sponsored there. */
  feePayersOf(network: Network): FeePayers | undefined {
    return this.#feePayers.get(network);
  }

  /** The budgets that cover a payment on the network. */
  budgetsOf(chain: Chain, parties: SponsoredParties): readonly Budget[] {
    const { sponsorship, now } = this.#options;
    return sponsorship === undefined ? [] : budgetsOf(chain, sponsorship, { parties, now: now() });
  }

  /** Checks all accounts, unless that was a moment ago. */
  check(): void {
    for (const feePayers of this.#feePayers.values()) void feePayers.check();
  }

  disconnect(): void {
    this.#feePayers.clear();
  }
}
