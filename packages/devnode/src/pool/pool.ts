import type { Chain } from '../ledger/chain.ts';
import type { PendingBlock } from '../ledger/pending-block.ts';
import { addressKey } from '../ledger/address-key.ts';
import { BlockFull, prefixRefusal, Refusal } from '../ledger/refusal.ts';
import { StateDelta } from '../ledger/state.ts';
import { verifyGroup } from '../verify/verify-group.ts';
import type { GroupMember } from '../verify/member.ts';

/** Groups that passed every rule and wait for their block, evaluated on the blocks that they will be in. */
export class Pool {
  readonly #chain: Chain;
  readonly #maxTransactions: number;
  readonly #members = new Map<string, GroupMember>();
  #blocks: PendingBlock[];

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

  find(txId: Uint8Array): GroupMember | undefined {
    return this.#members.get(addressKey(txId));
  }

  /**
   * Checks a group and takes it in.
   * @throws Refusal with algod's text
   */
  add(members: readonly GroupMember[]): void {
    verifyGroup(members, this.#chain.formContext);
    if (this.#members.size >= this.#maxTransactions) {
      throw new Refusal('TransactionPool.checkPendingQueueSize: transaction pool has reached capacity');
    }
    prefixRefusal('TransactionPool.Remember: ', () => {
      this.#checkNotExpired(members);
      this.#evaluate(members);
    });
    for (const member of members) this.#members.set(addressKey(member.txId), member);
  }

  /** Changes that no transaction makes, in the next block. What they refuse leaves everything as it was. */
  change(change: (state: StateDelta) => void): void {
    const block = this.#blocks[0] ?? this.#chain.startBlock();
    const changes = new StateDelta(block.state);
    change(changes);
    block.state.merge(changes);
  }

  /** Takes out the next block; the one after, if there is anything for it already, takes its place. */
  takeBlock(): PendingBlock {
    const block = this.#blocks.shift() ?? this.#chain.startBlock();
    for (const { member } of block.transactions) this.#members.delete(addressKey(member.txId));
    return block;
  }

  /** To be called when the block taken out is in the chain. */
  blockAppended(): void {
    if (this.#blocks.length === 0) this.#blocks = [this.#chain.startBlock()];
  }

  /** Looked at for all members first, before any of them is evaluated. */
  #checkNotExpired(members: readonly GroupMember[]): void {
    const round = this.#chain.latest.round + 1n;
    for (const [
      index,
      {
        transaction: { firstValid, lastValid },
      },
    ] of members.entries()) {
      if (lastValid < round)
        throw new Refusal(`txn dead: round ${round} outside of ${firstValid}--${lastValid}`, index);
    }
  }

  #evaluate(members: readonly GroupMember[]): void {
    const last = this.#blocks.at(-1) ?? this.#chain.startBlock();
    try {
      last.add(members);
    } catch (error) {
      if (!(error instanceof BlockFull) || last.transactions.length === 0) throw error;
      const next = last.next();
      next.add(members);
      this.#blocks.push(next);
    }
  }
}
