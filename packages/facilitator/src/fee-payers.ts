import type { Log } from './log.ts';
import { SponsorBalance, type SponsorBalanceOptions } from './sponsor-balance.ts';

export interface FeePayersOptions extends Omit<SponsorBalanceOptions, 'address'> {
  /** The first one is offered until more is known. */
  readonly addresses: readonly string[];
  readonly log: Log;
}

/** How many times as much as the one that is offered another one must have left to be offered instead. */
const LEAD = 2n;

/**
 * The accounts that pay fees on one network, and which of them offers name: the one that pays for most payments, until
 * another one pays for more than twice as many. So they are used up together, and offers seldom change.
 */
export class FeePayers {
  readonly balances: readonly SponsorBalance[];
  readonly #log: Log;
  #offered: SponsorBalance;
  #offeredForUpto: SponsorBalance | undefined;

  constructor({ addresses, log, ...options }: FeePayersOptions) {
    this.balances = addresses.map((address) => new SponsorBalance({ ...options, address }));
    const [first, second] = this.balances;
    if (first === undefined) throw new TypeError('nobody pays fees');
    this.#offered = first;
    this.#offeredForUpto = second;
    this.#log = log;
  }

  /** The address that offers name. */
  get offered(): string {
    return this.#offered.address;
  }

  /** The address that offers of `upto` name: never the first, which closes channels. Undefined: there is no other. */
  get offeredForUpto(): string | undefined {
    return this.#offeredForUpto?.address;
  }

  /** Looks at the accounts, unless that was a moment ago, and chooses anew. */
  async check(): Promise<void> {
    await Promise.all(this.balances.map((balance) => balance.check()));
    const others = this.balances.slice(1);
    if (this.#offeredForUpto !== undefined) this.#offeredForUpto = chosen(this.#offeredForUpto, others);
    const next = chosen(this.#offered, this.balances);
    if (next === this.#offered) return;
    this.#log.info({ feePayer: next.address, before: this.#offered.address }, 'offers name another fee payer');
    this.#offered = next;
  }
}

/** Of several that have as much, the first. One whose funds nobody knows is not chosen, and stays if it was. */
function chosen(offered: SponsorBalance, all: readonly SponsorBalance[]): SponsorBalance {
  if (offered.funds === undefined) return offered;
  const richest = all.reduce((most, one) => (paymentsLeft(one) > paymentsLeft(most) ? one : most));
  return paymentsLeft(richest) > paymentsLeft(offered) * LEAD ? richest : offered;
}

function paymentsLeft({ funds }: SponsorBalance): bigint {
  return funds?.paymentsLeft ?? 0n;
}
