import { saturated } from '../../codec/integer.ts';
import { EMPTY_ACCOUNT, type Account, type AccountStatus } from '../account.ts';

/** µAlgo in one unit that earns rewards. */
export const REWARD_UNIT = 1_000_000n;

/** The money of all accounts with one status. */
export interface MoneyTotal {
  readonly microAlgos: bigint;
  /** Whole Algos, account by account. */
  readonly rewardUnits: bigint;
}

const NO_MONEY: MoneyTotal = { microAlgos: 0n, rewardUnits: 0n };

/** Totals of money by account status. */
export class MoneyTotals {
  #totals: Record<AccountStatus, MoneyTotal> = {
    Offline: NO_MONEY,
    Online: NO_MONEY,
    'Not Participating': NO_MONEY,
  };

  /** The money of the accounts with this status, as far as 64 bits can say: controls create any amount. */
  of(status: AccountStatus): MoneyTotal {
    const total = this.#totals[status];
    return { ...total, microAlgos: saturated(total.microAlgos) };
  }

  move(before: Account = EMPTY_ACCOUNT, after: Account = EMPTY_ACCOUNT): void {
    this.#add(before, -1n);
    this.#add(after, 1n);
  }

  mark(): () => void {
    const totals = { ...this.#totals };
    return () => {
      this.#totals = { ...totals };
    };
  }

  #add({ status, microAlgos }: Account, sign: 1n | -1n): void {
    const total = this.#totals[status];
    this.#totals[status] = {
      microAlgos: total.microAlgos + sign * microAlgos,
      rewardUnits: total.rewardUnits + sign * (microAlgos / REWARD_UNIT),
    };
  }
}
