import { saturated } from '../../codec/integer.ts';
import type { AddressKey } from '../../transaction/address-key.ts';
import type { Account } from '../account.ts';
import { LayeredMap } from '../layered-map.ts';

/** Votes are weighted by the stake that was online this many rounds before. */
const LOOKBACK = 320n;

/** The online accounts that a round changed, as they were before it; undefined: not online then. */
export interface PastRound {
  readonly round: bigint;
  readonly before: ReadonlyMap<AddressKey, Account | undefined>;
}

/** The accounts that are online now, and those that were online after each of the last 320 rounds. */
export class OnlineAccounts {
  readonly #now = new LayeredMap<AddressKey, Account>();
  #past: PastRound[] = [];

  /** The changes to undo in order to go back, oldest round first. */
  get past(): readonly PastRound[] {
    return this.#past;
  }

  now(): Iterable<[AddressKey, Account]> {
    return this.#now.entries();
  }

  /** The online accounts after `round`, one of the last 320. */
  at(round: bigint): ReadonlyMap<AddressKey, Account> {
    const accounts = new Map(this.#now.entries());
    for (const { before } of this.#past.filter((past) => past.round > round).toReversed()) {
      for (const [key, account] of before) {
        if (account === undefined) accounts.delete(key);
        else accounts.set(key, account);
      }
    }
    return accounts;
  }

  /** The accounts that were online 320 rounds before. */
  votersIn(round: bigint): ReadonlyMap<AddressKey, Account> {
    return this.at(round > LOOKBACK ? round - LOOKBACK : 0n);
  }

  /** µAlgo that weigh in votes of the latest round: online 320 rounds before, with keys that have not expired since. */
  stakeIn(round: bigint): bigint {
    let stake = 0n;
    for (const { microAlgos, participation } of this.votersIn(round).values()) {
      if ((participation?.voteLastValid ?? round) >= round) stake += microAlgos;
    }
    return saturated(stake);
  }

  move(key: AddressKey, before: Account | undefined, after: Account | undefined): void {
    if (isOnline(before) || isOnline(after)) this.#now.set(key, isOnline(after) ? after : undefined);
  }

  /** Remembers the changes of a round, now the latest; `undo` holds the values before it. */
  remember(round: bigint, undo: Iterable<[AddressKey, Account | undefined]>): void {
    const before = new Map<AddressKey, Account | undefined>();
    for (const [key, account] of undo) {
      if (isOnline(account)) before.set(key, account);
      else if (this.#now.has(key)) before.set(key, undefined);
    }
    if (before.size > 0) this.#past.push({ round, before });
    while ((this.#past[0]?.round ?? round) <= round - LOOKBACK) this.#past.shift();
  }

  /** Takes over the past from another run of the chain. */
  restore(past: readonly PastRound[]): void {
    this.#past = [...past];
  }

  mark(): () => void {
    const [now, past] = [this.#now.mark(), [...this.#past]];
    return () => {
      now();
      this.#past = [...past];
    };
  }
}

function isOnline(account: Account | undefined): account is Account {
  return account?.status === 'Online';
}
