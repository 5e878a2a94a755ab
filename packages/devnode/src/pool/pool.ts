import { addressKey } from '../transaction/address-key.ts';
import type { TimestampClock } from '../block/timestamp.ts';
import type { Chain } from '../ledger/chain.ts';
import type { PendingBlock } from '../ledger/pending-block.ts';
import { BlockFull, prefixRefusal, Refusal } from '../transaction/refusal.ts';
import type { GroupMember } from '../transaction/member.ts';

type Group = readonly GroupMember[];

/** Transactions that fell out of the pool and are remembered with the reason. */
const MAX_EVICTED = 10_000;

/** A transaction that waits, or that fell out of the pool with this error. */
export interface PooledTransaction {
  readonly member: GroupMember;
  readonly error: string;
}

/** Groups that passed every rule and wait for their block, evaluated on the blocks that they will be in. */
export class Pool {
  readonly #chain: Chain;
  readonly #maxTransactions: number;
  readonly #members = new Map<string, GroupMember>();
  readonly #evicted = new Map<string, PooledTransaction>();
  readonly #groups = new Set<Group>();
  /** The block that is to be made next. */
  #next: PendingBlock;
  /** Those after it, where one has no space for all that waits. */
  #later: PendingBlock[] = [];

  constructor(chain: Chain, options: { readonly maxTransactions: number }) {
    this.#chain = chain;
    this.#maxTransactions = options.maxTransactions;
    this.#next = chain.startBlock();
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

  hasRoomFor(members: Group): boolean {
    return this.#members.size + members.length <= this.#maxTransactions;
  }

  /**
   * Checks a group that has passed `verifyGroup` against the ledger and takes it in.
   * @throws Refusal with algod's text
   */
  add(members: Group): void {
    if (!this.hasRoomFor(members)) {
      throw new Refusal('TransactionPool.checkPendingQueueSize: transaction pool has reached capacity');
    }
    prefixRefusal(
      () => 'TransactionPool.Remember: ',
      () => {
        this.#checkNotExpired(members);
        this.#evaluate(members);
      },
    );
    this.#groups.add(members);
    for (const member of members) this.#members.set(member.key, member);
  }

  /** Makes the next block the chain's latest, and takes out what is in it. Where that fails, everything waits on. */
  makeBlock(clock: TimestampClock): PendingBlock {
    const block = this.#next;
    this.#chain.append(block, clock);
    const later = this.#later.shift();
    later?.confirmParent(this.#chain.state);
    this.#next = later ?? this.#chain.startBlock();
    for (const { member } of block.transactions) this.#members.delete(member.key);
    // Blocks hold groups in their order of arrival, so those that are gone are the first.
    for (const group of this.#groups) {
      if (group.some(({ key }) => this.#members.has(key))) break;
      this.#groups.delete(group);
    }
    return block;
  }

  /** Evaluates what waits anew, on a chain that went on without it; what is no longer right falls out. */
  rebase(): void {
    this.#next = this.#chain.startBlock();
    this.#later = [];
    for (const group of this.#groups) {
      try {
        this.#evaluate(group);
      } catch (error) {
        // Whatever the reason: a group that stays without a place in a block would never leave.
        this.#evict(group, error instanceof Error ? error.message : String(error));
      }
    }
  }

  #evict(group: Group, error: string): void {
    this.#groups.delete(group);
    for (const member of group) {
      this.#members.delete(member.key);
      this.#evicted.set(member.key, { member, error });
      const [oldest] = this.#evicted.keys();
      if (this.#evicted.size > MAX_EVICTED && oldest !== undefined) this.#evicted.delete(oldest);
    }
  }

  /** Looked at for all members first, before any of them is evaluated. */
  #checkNotExpired(members: Group): void {
    const round = this.#chain.latest.round + 1n;
    for (const [index, { transaction }] of members.entries()) {
      const { firstValid, lastValid } = transaction;
      if (lastValid < round)
        throw new Refusal(`txn dead: round ${round} outside of ${firstValid}--${lastValid}`, index);
    }
  }

  #evaluate(members: Group): void {
    const last = this.#later.at(-1) ?? this.#next;
    try {
      last.add(members);
    } catch (error) {
      if (!(error instanceof BlockFull) || last.transactions.length === 0) throw error;
      const another = last.next();
      another.add(members);
      this.#later.push(another);
    }
  }
}
