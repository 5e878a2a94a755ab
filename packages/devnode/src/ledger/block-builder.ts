import { encode } from '../codec/document.ts';
import { transactionInBlock } from '../codec/schema/signed-transaction.ts';
import { transaction as transactionSchema } from '../codec/schema/transaction.ts';
import type { GroupMember } from '../transaction/member.ts';
import { applyDataOf, innerFees } from './effects.ts';
import type { ChainContext } from './context.ts';
import { evaluateGroup, type AppliedTransaction, type GroupRefusal } from './evaluate-group.ts';
import { StateDelta, type State } from './state/state.ts';
import { NewUses, type Uses } from './uses.ts';

/** A transaction with its place in the block being built. */
export interface PlacedTransaction extends AppliedTransaction {
  /** The transaction as the block holds it. */
  readonly encoded: Uint8Array;
}

/** The base of a new block. */
export interface BlockBase {
  readonly state: State;
  readonly uses: Uses;
  readonly round: bigint;
  /** The number of transactions in all blocks so far. */
  readonly counter: bigint;
}

/** The outcome for a group: `full` means that the block has no room for it, but the next one may. */
export type Addition = 'added' | 'full' | GroupRefusal;

/** The block being built. Groups are added one after another; a group that fails changes nothing. */
export class BlockBuilder {
  readonly round: bigint;
  readonly state: StateDelta;
  readonly uses: NewUses;
  /** The number of transactions in all blocks, this one and inner ones included. */
  counter: bigint;
  readonly #chain: ChainContext;
  readonly #transactions: PlacedTransaction[] = [];
  #groups = 0;
  #bytes = 0;

  constructor(chain: ChainContext, base: BlockBase) {
    this.#chain = chain;
    this.round = base.round;
    this.state = new StateDelta(base.state);
    this.uses = new NewUses(base.uses);
    this.counter = base.counter;
    // Each block begins with the rewards, which count as a change of the pool even when they are zero.
    this.state.setAccount(chain.rewardsPool, this.state.account(chain.rewardsPool));
  }

  /** Starts the block after this one, while this one is still being built. */
  next(): BlockBuilder {
    const { state, uses, round, counter } = this;
    return new BlockBuilder(this.#chain, { state, uses, round: round + 1n, counter });
  }

  /** Adds a group that has passed `verifyGroup`. */
  add(group: readonly GroupMember[]): Addition {
    const { round, counter, uses } = this;
    const outcome = evaluateGroup(group, this.state, { chain: this.#chain, round, counter, uses });
    if (outcome.refused !== undefined) return outcome.refused;
    const placed = outcome.applied.map((applied) => ({ ...applied, encoded: encodeInBlock(applied) }));
    const bytes = this.#bytes + placed.reduce((sum, { encoded }) => sum + encoded.length, 0);
    if (bytes > this.#chain.parameters.maxBlockBytes) return 'full';
    this.state.merge(outcome.changes);
    this.uses.merge(outcome.uses);
    this.#transactions.push(...placed);
    this.#bytes = bytes;
    this.counter = outcome.counter;
    this.#groups++;
    return 'added';
  }

  get transactions(): readonly PlacedTransaction[] {
    return this.#transactions;
  }

  /** Number of groups added. */
  get groups(): number {
    return this.#groups;
  }

  /** Bytes of the encoded transactions together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** µAlgo of all fees, those of inner transactions included. */
  get fees(): bigint {
    return this.#transactions.reduce(
      (sum, { member, effects }) => sum + member.transaction.fee + innerFees(effects),
      0n,
    );
  }
}

/** A block leaves out the genesis, which its header names, and notes only whether the id was given. */
function encodeInBlock({ member, effects }: AppliedTransaction): Uint8Array {
  const { signed, transaction } = member;
  const { genesisId, genesisHash } = transactionSchema.zero;
  return encode(transactionInBlock, {
    ...transactionInBlock.zero,
    ...signed,
    transaction: { ...transaction, genesisId, genesisHash },
    ...applyDataOf(effects),
    hasGenesisId: transaction.genesisId !== '',
  });
}
