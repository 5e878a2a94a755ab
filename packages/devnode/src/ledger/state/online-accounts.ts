import type { AddressKey } from '../../transaction/address-key.ts';
import type { Account } from '../account.ts';
import { LayeredMap } from '../layered-map.ts';

/** Votes weigh what was online so many rounds before. */
const LOOKBACK = 320n;

/** Accounts that a round changed and that were online before or after it, as they were before; undefined: not online. */
export interface PastRound {
  readonly round: bigint;
  readonly before: ReadonlyMap<AddressKey, Account | undefined>;
}

/** The accounts that are online, and those that were after each of the last 320 rounds. */
export class OnlineAccounts {
  readonly #now = new LayeredMap<AddressKey, Account>();
  #past: PastRound[] = [];

  /** What has to be undone to go back, the oldest round first. */
  get past(): readonly PastRound[] {
    return this.#past;
  }

  now(): Iterable<[AddressKey, Account]> {
    return this.#now.entries();
  }

  /** As they were after `round`, one of the last 320. */
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

  /** µAlgo that weigh in the votes of `round`, the latest: those of 320 rounds before, without keys that have expired since. */
  stakeIn(round: bigint): bigint {
    let stake = 0n;
    for (const { microAlgos, participation } of this.at(round > LOOKBACK ? round - LOOKBACK : 0n).values()) {
      if ((participation?.voteLastValid ?? round) >= round) stake += microAlgos;
    }
    return stake;
  }

  move(key: AddressKey, before: Account | undefined, after: Account | undefined): void {
    if (isOnline(before) || isOnline(after)) this.#now.set(key, isOnline(after) ? after : undefined);
  }

  /** Remembers what a round, now the latest, changed; `undo` is what it found. */
  remember(round: bigint, undo: Iterable<[AddressKey, Account | undefined]>): void {
    const before = new Map<AddressKey, Account | undefined>();
    for (const [key, account] of undo) {
      if (isOnline(account)) before.set(key, account);
      else if (this.#now.has(key)) before.set(key, undefined);
    }
    if (before.size > 0) this.#past.push({ round, before });
    while ((this.#past[0]?.round ?? round) <= round - LOOKBACK) this.#past.shift();
  }

  /** Goes on with the past that another run of the chain had. */
  restore(past: readonly PastRound[]): void {
    this.#past = [...past];
  }

  /** Remembers everything. What comes back puts it back. */
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
