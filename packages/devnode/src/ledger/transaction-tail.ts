import { addressKey } from './address-key.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { isAllZero } from '../codec/bytes.ts';

/** Where a confirmed transaction is. */
export interface TransactionPlace {
  readonly round: bigint;
  readonly index: number;
}

/** Ids and leases of the blocks whose transactions may still be valid, which must not be used twice. */
export class TransactionTail {
  readonly #places = new Map<string, TransactionPlace>();
  readonly #leases = new Map<string, bigint>();
  readonly #idsByRound = new Map<bigint, readonly string[]>();
  readonly #leasesByExpiry = new Map<bigint, string[]>();
  readonly #depth: bigint;

  /** `depth`: rounds that are remembered. */
  constructor(depth: bigint) {
    this.#depth = depth;
  }

  place(id: string): TransactionPlace | undefined {
    return this.#places.get(id);
  }

  /** The last round in which a lease is held; undefined if it is free. */
  leaseExpiry(lease: string): bigint | undefined {
    return this.#leases.get(lease);
  }

  /** Takes in a block's ids in their order and its leases, and forgets what is too old. */
  add(round: bigint, ids: readonly string[], leases: ReadonlyMap<string, bigint>): void {
    for (const [index, id] of ids.entries()) this.#places.set(id, { round, index });
    if (ids.length > 0) this.#idsByRound.set(round, ids);
    for (const [lease, expiry] of leases) {
      this.#leases.set(lease, expiry);
      const expiring = this.#leasesByExpiry.get(expiry);
      if (expiring === undefined) this.#leasesByExpiry.set(expiry, [lease]);
      else expiring.push(lease);
    }
    this.#forget(round);
  }

  #forget(round: bigint): void {
    const old = round - this.#depth - 1n;
    for (const id of this.#idsByRound.get(old) ?? []) this.#places.delete(id);
    this.#idsByRound.delete(old);
    const expired = round - 1n;
    for (const lease of this.#leasesByExpiry.get(expired) ?? []) {
      if (this.#leases.get(lease) === expired) this.#leases.delete(lease);
    }
    this.#leasesByExpiry.delete(expired);
  }
}

/** What a lease is held under, sender and lease together; undefined for a transaction without one. */
export function leaseOf({ lease, sender }: Transaction): string | undefined {
  return isAllZero(lease) ? undefined : addressKey(sender) + addressKey(lease);
}
