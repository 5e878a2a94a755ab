import { LayeredMap } from './layered-map.ts';
import { markAll } from './mark.ts';
import { alreadyInLedger, overlappingLease, type Use, type Uses } from './uses.ts';

/** The place of a confirmed transaction: its round, and its index in the block. */
export interface TransactionPlace {
  readonly round: bigint;
  readonly index: number;
}

/** A lease taken in `round`, and the last round in which it is held. */
interface LeaseUse {
  readonly round: bigint;
  readonly expiry: bigint;
}

/** Ids and leases of the blocks whose transactions may still be valid; they must not be used twice. */
export class TransactionTail implements Uses {
  readonly #places = new LayeredMap<string, TransactionPlace>();
  /** By lease, in order of their rounds. */
  readonly #leaseUses = new LayeredMap<string, readonly LeaseUse[]>();
  readonly #idsByRound = new LayeredMap<bigint, readonly string[]>();
  readonly #leasesByRound = new LayeredMap<bigint, readonly string[]>();
  readonly #depth: bigint;

  /** `depth`: how many rounds are remembered. */
  constructor(depth: bigint) {
    this.#depth = depth;
  }

  place(id: string): TransactionPlace | undefined {
    return this.#places.get(id);
  }

  /** The leases taken in a round, with the last round in which each is held. Empty if the round is too old. */
  leasesOf(round: bigint): ReadonlyMap<string, bigint> {
    const leases = this.#leasesByRound.get(round) ?? [];
    const uses = leases.flatMap((lease) => (this.#leaseUses.get(lease) ?? []).map((use) => ({ lease, ...use })));
    return new Map(uses.filter((use) => use.round === round).map(({ lease, expiry }) => [lease, expiry]));
  }

  problemOf({ member, lease }: Use, round: bigint): string | undefined {
    if (lease !== undefined && this.#isHeld(lease, round)) return overlappingLease(member, lease);
    return this.#places.has(member.key) ? alreadyInLedger(member) : undefined;
  }

  /** Adds a block's ids, in order, and its leases; forgets those that are too old. */
  add(round: bigint, ids: readonly string[], leases: ReadonlyMap<string, bigint>): void {
    for (const [index, id] of ids.entries()) this.#places.set(id, { round, index });
    if (ids.length > 0) this.#idsByRound.set(round, ids);
    for (const [lease, expiry] of leases) {
      this.#leaseUses.set(lease, [...(this.#leaseUses.get(lease) ?? []), { round, expiry }]);
    }
    if (leases.size > 0) this.#leasesByRound.set(round, [...leases.keys()]);
    this.#forget(round);
  }

  mark(): () => void {
    return markAll([this.#places, this.#leaseUses, this.#idsByRound, this.#leasesByRound]);
  }

  /** Whether a lease is held in the block of `round`. Later uses don't count: a block may be built on an old state. */
  #isHeld(lease: string, round: bigint): boolean {
    return this.#leaseUses.get(lease)?.some((use) => use.round <= round && round <= use.expiry) ?? false;
  }

  #forget(round: bigint): void {
    const old = round - this.#depth - 1n;
    for (const id of this.#idsByRound.get(old) ?? []) this.#places.set(id, undefined);
    this.#idsByRound.set(old, undefined);
    for (const lease of this.#leasesByRound.get(old) ?? []) this.#forgetFirstUse(lease);
    this.#leasesByRound.set(old, undefined);
  }

  #forgetFirstUse(lease: string): void {
    const [, ...later] = this.#leaseUses.get(lease) ?? [];
    this.#leaseUses.set(lease, later.length > 0 ? later : undefined);
  }
}
