import { isAllZero } from '../codec/bytes.ts';
import { addressKey, addressText } from '../transaction/address-key.ts';
import { idText, type GroupMember } from '../transaction/member.ts';

/** The id of a transaction, and its lease if it has one: both can be used only once. */
export interface Use {
  readonly member: GroupMember;
  /** Sender and lease together. */
  readonly lease: string | undefined;
}

export function useOf(member: GroupMember): Use {
  const { lease, sender } = member.transaction;
  return { member, lease: isAllZero(lease) ? undefined : addressKey(sender) + addressKey(lease) };
}

/** Ids and leases that are used up. */
export interface Uses {
  /** algod's reason why a transaction can't be used in the block of `round`. */
  problemOf(use: Use, round: bigint): string | undefined;
}

/** The ids and leases of a group or block that is being evaluated, on top of those used before. */
export class NewUses implements Uses {
  readonly #before: Uses;
  readonly #ids = new Set<string>();
  /** Last round in which each lease is held. */
  readonly leases = new Map<string, bigint>();

  constructor(before: Uses) {
    this.#before = before;
  }

  problemOf(use: Use, round: bigint): string | undefined {
    const { member, lease } = use;
    if (this.#ids.has(member.key)) return alreadyInLedger(member);
    if (lease !== undefined && round <= (this.leases.get(lease) ?? -1n)) return overlappingLease(member, lease);
    return this.#before.problemOf(use, round);
  }

  add({ member, lease }: Use): void {
    this.#ids.add(member.key);
    if (lease !== undefined) this.leases.set(lease, member.transaction.lastValid);
  }

  merge(later: NewUses): void {
    for (const id of later.#ids) this.#ids.add(id);
    for (const [lease, lastValid] of later.leases) this.leases.set(lease, lastValid);
  }
}

export function alreadyInLedger({ txId }: GroupMember): string {
  return `transaction already in ledger: ${idText(txId)}`;
}

export function overlappingLease({ txId }: GroupMember, lease: string): string {
  const [sender, value] = [lease.slice(0, 32), lease.slice(32)].map(addressText);
  return `transaction ${idText(txId)} using an overlapping lease (sender, lease):(${sender}, ${value})`;
}
