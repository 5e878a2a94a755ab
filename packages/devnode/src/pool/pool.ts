import type { TimestampClock } from '../block/timestamp.ts';
import type { BlockBuilder } from '../ledger/block-builder.ts';
import type { AppendedBlock, Chain } from '../ledger/chain.ts';
import type { GroupRefusal } from '../ledger/evaluate-group.ts';
import { addressKey } from '../transaction/address-key.ts';
import type { GroupMember } from '../transaction/member.ts';
import { Refusal } from '../transaction/refusal.ts';

type Group = readonly GroupMember[];

/** The most fallen-out transactions that are remembered, with the reason. */
const MAX_EVICTED = 10_000;

const BLOCK_FULL: GroupRefusal = { member: 0, message: 'block does not have space for transaction' };

/** A transaction that waits in the pool, or that fell out of it with this error. */
export interface PooledTransaction {
  readonly member: GroupMember;
  readonly error: string;
}

/** The groups that passed every rule and wait for a block, in order of arrival. */
export class Pool {
  readonly #chain: Chain;
  readonly #maxTransactions: number;
  #members = new Map<string, GroupMember>();
  #evicted = new Map<string, PooledTransaction>();
  #groups: Group[] = [];
  /** The blocks for the waiting groups: the next one, and more if it has no space for all. */
  #blocks: [next: BlockBuilder, ...later: BlockBuilder[]];

  constructor(chain: Chain, options: { readonly maxTransactions: number }) {
    this.#chain = chain;
    this.#maxTransactions = options.maxTransactions;
    this.#blocks = [chain.startBlock()];
  }

  /** The members of all waiting groups, in order of arrival. */
  get members(): Iterable<GroupMember> {
    return this.#members.values();
  }

  get size(): number {
    return this.#members.size;
  }

  find(txId: Uint8Array): PooledTransaction | undefined {
    const key = addressKey(txId);
    const member = this.#members.get(key);
    return member === undefined ? this.#evicted.get(key) : { member, error: '' };
  }

  /** Why a transaction that was added is neither in the pool nor in a block any more; empty if it is in one. */
  absenceOf({ key }: GroupMember): string {
    if (this.#members.has(key) || this.#chain.tail.place(key) !== undefined) return '';
    return this.#evicted.get(key)?.error ?? 'a developer control has removed it from the pool';
  }

  hasRoomFor(members: Group): boolean {
    return this.#members.size + members.length <= this.#maxTransactions;
  }

  /**
   * Checks a group that has passed `verifyGroup` against the ledger, and adds it.
   * @throws Refusal with algod's text
   */
  add(members: Group): void {
    if (!this.hasRoomFor(members)) {
      throw new Refusal('TransactionPool.checkPendingQueueSize: transaction pool has reached capacity');
    }
    const refused = this.#expired(members) ?? this.#place(members);
    if (refused !== undefined) {
      throw new Refusal(`TransactionPool.Remember: ${refused.message}`, refused.member, refused.data);
    }
    for (const member of members) {
      this.#members.set(member.key, member);
      this.#evicted.delete(member.key);
    }
  }

  /** Makes the next block the chain's latest, and removes its groups. If that fails, all groups go on waiting. */
  makeBlock(clock: TimestampClock): AppendedBlock {
    const [block, ...later] = this.#blocks;
    const appended = this.#chain.append(block, clock);
    for (const { member } of block.transactions) this.#members.delete(member.key);
    this.#groups.splice(0, block.groups);
    if (later.length > 0) this.rebuild();
    else this.#blocks = [this.#chain.startBlock()];
    return appended;
  }

  /** Evaluates the waiting groups again, on a chain that has moved on. Groups that are no longer valid fall out. */
  rebuild(): void {
    const waiting = this.#groups;
    this.#groups = [];
    this.#blocks = [this.#chain.startBlock()];
    for (const group of waiting) {
      const error = this.#problemOfPlacing(group);
      if (error !== undefined) this.#evict(group, error);
    }
  }

  /**
   * Removes the group of a transaction, as if it had never arrived; gives its members, or none if it is not waiting.
   * Waiting groups that depend on it fall out.
   */
  drop(txId: Uint8Array): readonly GroupMember[] {
    const key = addressKey(txId);
    const dropped = this.#groups.find((group) => group.some((member) => member.key === key)) ?? [];
    for (const member of dropped) this.#members.delete(member.key);
    this.#groups = this.#groups.filter((group) => group !== dropped);
    this.rebuild();
    return dropped;
  }

  /** Remembers the waiting groups. The returned function restores them; `rebuild` must then evaluate them again. */
  mark(): () => void {
    const [groups, evicted] = [[...this.#groups], [...this.#evicted]];
    return () => {
      this.#groups = [...groups];
      this.#members = new Map(groups.flat().map((member) => [member.key, member]));
      this.#evicted = new Map(evicted);
    };
  }

  /** Any error counts, because a group without a place in a block would never leave the pool. */
  #problemOfPlacing(group: Group): string | undefined {
    try {
      return this.#place(group)?.message;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #evict(group: Group, error: string): void {
    for (const member of group) {
      this.#members.delete(member.key);
      this.#evicted.set(member.key, { member, error });
      const [oldest] = this.#evicted.keys();
      if (this.#evicted.size > MAX_EVICTED && oldest !== undefined) this.#evicted.delete(oldest);
    }
  }

  /** Checked for all members before any of them is evaluated. */
  #expired(members: Group): GroupRefusal | undefined {
    const round = this.#chain.latest.round + 1n;
    const member = members.findIndex(({ transaction }) => transaction.lastValid < round);
    const expired = members[member];
    if (expired === undefined) return undefined;
    const { firstValid, lastValid } = expired.transaction;
    return { member, message: `txn dead: round ${round} outside of ${firstValid}--${lastValid}` };
  }

  /** Places a group behind the others, in the last block or in a new one. */
  #place(group: Group): GroupRefusal | undefined {
    const last = this.#blocks.at(-1) ?? this.#blocks[0];
    let addition = last.add(group);
    if (addition === 'full' && last.groups > 0) {
      const another = last.next();
      addition = another.add(group);
      if (addition === 'added') this.#blocks.push(another);
    }
    if (addition === 'added') this.#groups.push(group);
    if (addition === 'added') return undefined;
    return addition === 'full' ? BLOCK_FULL : addition;
  }
}
