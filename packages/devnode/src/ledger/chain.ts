import { BlockStore, type BlockParts } from '../block/block-store.ts';
import { COUNTER_START, genesisHeader, hashesOf, nextHeader, type PreviousBlock } from '../block/header.ts';
import { commitmentsOf } from '../block/merkle-array.ts';
import { programEnvironment } from '../block/program-environment.ts';
import { nextTimestamp, type TimestampClock } from '../block/timestamp.ts';
import { isAllZero } from '../codec/bytes.ts';
import { encode } from '../codec/document.ts';
import { blockHeader, type BlockHeader } from '../codec/schema/block.ts';
import type { GenesisAccount } from '../codec/schema/genesis.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { DevnodeError } from '../errors.ts';
import type { Genesis } from '../genesis/genesis.ts';
import { STATE_PROOF_SENDER } from '../form/state-proof.ts';
import { addressKey } from '../transaction/address-key.ts';
import { ACCOUNT_STATUSES, EMPTY_ACCOUNT, type Account } from './account.ts';
import { expireParticipation } from './expired-participation.ts';
import { BlockBuilder, type PlacedTransaction } from './block-builder.ts';
import type { ChainContext } from './context.ts';
import { markAll } from './mark.ts';
import type { OnlineAccounts } from './state/online-accounts.ts';
import { StateDelta, type State } from './state/state.ts';
import { StateHistory, type RoundChanges } from './state/state-history.ts';
import { StateStore } from './state/state-store.ts';
import { TransactionTail } from './transaction-tail.ts';

/** How much of the past is kept, in rounds before the latest one. */
export interface Lookback {
  readonly states: number;
  /** Infinity: all. At least as many as a transaction may live are always kept. */
  readonly blocks: number;
}

export interface ChainOptions {
  /** Makes changes over the genesis state that no transaction makes. */
  readonly overlay: ((genesis: State) => StateDelta) | undefined;
  readonly lookback: Lookback;
}

/** A block at the moment when it became the latest. */
export interface AppendedBlock {
  readonly round: bigint;
  readonly block: { readonly header: BlockHeader; readonly transactions: readonly PlacedTransaction[] };
  /** Its changes. */
  readonly delta: RoundChanges;
}

/** A block that an earlier run of this chain made. */
export interface KeptBlock {
  readonly parts: BlockParts;
  readonly leases: ReadonlyMap<string, bigint>;
}

/** The confirmed chain: its blocks, and the accounts as of the latest one. */
export class Chain {
  readonly genesis: Genesis;
  readonly context: ChainContext;
  #state = new StateStore();
  #blocks: BlockStore;
  #tail: TransactionTail;
  #history: StateHistory;
  #latest: PreviousBlock;
  /** When the latest block was appended, in seconds since 1970. */
  #appendedAt: bigint | undefined;

  constructor(genesis: Genesis, { overlay, lookback }: ChainOptions) {
    const { parameters, feeSink, rewardsPool } = genesis;
    this.genesis = genesis;
    this.#tail = new TransactionTail(parameters.maxTransactionLife);
    this.#history = new StateHistory(lookback.states);
    // Programs can read headers of one round more than a transaction may live.
    this.#blocks = new BlockStore(Math.max(lookback.blocks, Number(parameters.maxTransactionLife) + 1));
    const online = (): OnlineAccounts => this.#state.online;
    this.context = {
      parameters,
      genesisId: genesis.id,
      genesisHash: genesis.hash,
      feeSink: addressKey(feeSink),
      rewardsPool: addressKey(rewardsPool),
      exempt: new Set([feeSink, rewardsPool, STATE_PROOF_SENDER].map(addressKey)),
      environment: programEnvironment(parameters, this),
      get online() {
        return online();
      },
    };
    this.#loadState(overlay);
    this.#latest = this.#store(genesisHeader(genesis), []);
  }

  get parameters(): ConsensusParameters {
    return this.context.parameters;
  }

  get latest(): BlockHeader {
    return this.#latest.header;
  }

  /** The state as of the latest block. */
  get state(): StateStore {
    return this.#state;
  }

  get blocks(): BlockStore {
    return this.#blocks;
  }

  get tail(): TransactionTail {
    return this.#tail;
  }

  /** Starts an empty block on top of the latest. */
  startBlock(): BlockBuilder {
    const { round, transactionCounter } = this.latest;
    const { state, tail: uses } = this;
    return new BlockBuilder(this.context, { state, uses, round: round + 1n, counter: transactionCounter });
  }

  /** The state after `round`; undefined when it is not yet, or no longer, known. */
  stateAt(round: bigint): State | undefined {
    return this.#history.at(round, { present: this.state, latest: this.latest.round });
  }

  /** The number of transactions in the blocks since genesis. */
  get transactionCount(): number {
    return Number(this.latest.transactionCounter - COUNTER_START);
  }

  /** The oldest round whose state is known. */
  get oldestState(): bigint {
    return this.latest.round - BigInt(this.#history.length);
  }

  /** The number of transactions in all blocks up to `round`. */
  counterAt(round: bigint): bigint {
    if (round === this.latest.round) return this.latest.transactionCounter;
    return this.blocks.header(round)?.transactionCounter ?? 0n;
  }

  /** The changes of a round; undefined unless it is one of the last. */
  changesOf(round: bigint): RoundChanges | undefined {
    return this.#history.changesOf(round);
  }

  /** Appends a block, which must be built on the latest one. The returned block never changes. */
  append(block: BlockBuilder, clock: TimestampClock): AppendedBlock {
    const { round, transactions } = block;
    const previousTimestamp = this.latest.timestamp;
    const evaluatedSince = this.#appendedAt ?? clock.now;
    this.#appendedAt = clock.now;
    const expiredAccounts = expireParticipation(block.state, round, this.state.online);
    const committed = transactions.map(({ member, encoded }) => ({ ...member, encoded }));
    const contents = {
      commitments: commitmentsOf(committed),
      timestamp: nextTimestamp(previousTimestamp, clock),
      fees: block.fees,
      bytes: block.bytes,
      counter: block.counter,
      expiredAccounts,
    };
    const header = nextHeader(this.#latest, contents, this.parameters);
    this.#latest = this.#store(header, committed);
    const delta = this.#remember(block, {
      previousTimestamp,
      evaluationTimestamp: nextTimestamp(previousTimestamp, { offset: undefined, now: evaluatedSince }),
    });
    this.tail.add(
      round,
      committed.map(({ key }) => key),
      block.uses.leases,
    );
    return { round, block: { header, transactions }, delta };
  }

  /**
   * Continues after blocks that were made before. `oldest` is the first of them, or 0 if all since genesis are there.
   * The caller applies what they changed. The states of older rounds are no longer known.
   * @throws DevnodeError when the bytes of the last one are not a block
   */
  restore(blocks: Iterable<KeptBlock>, oldest: bigint): void {
    let { round } = this.latest;
    if (oldest > 0n) {
      this.blocks.beginAt(oldest);
      round = oldest - 1n;
    }
    let last: BlockParts | undefined;
    for (const { parts, leases } of blocks) {
      round++;
      last = parts;
      this.blocks.append(parts);
      const ids = parts.transactions.map(({ txId }) => addressKey(txId));
      this.tail.add(round, ids, leases);
    }
    const header = this.blocks.header(round);
    if (last !== undefined && header !== undefined) this.#latest = { header, ...hashesOf(last.header) };
  }

  /** Takes over another chain of the same genesis, which must not be used afterwards. */
  adopt(other: Chain): void {
    this.#state = other.#state;
    this.#blocks = other.#blocks;
    this.#tail = other.#tail;
    this.#history = other.#history;
    this.#latest = other.#latest;
    this.#appendedAt = other.#appendedAt;
  }

  /** Remembers the chain. The returned function makes the present latest block the latest again. */
  mark(): () => void {
    const [state, blocks, tail, history] = [this.#state, this.#blocks, this.#tail, this.#history];
    const [latest, appendedAt] = [this.#latest, this.#appendedAt];
    const putBack = markAll([state, blocks, tail, history]);
    return () => {
      putBack();
      this.#state = state;
      this.#blocks = blocks;
      this.#tail = tail;
      this.#history = history;
      this.#latest = latest;
      this.#appendedAt = appendedAt;
    };
  }

  #remember(
    { state: changed, transactions, uses }: BlockBuilder,
    timestamps: Pick<RoundChanges, 'previousTimestamp' | 'evaluationTimestamp'>,
  ): RoundChanges {
    const before = this.state.advance(this.latest.round, changed);
    const delta: RoundChanges = {
      header: this.latest,
      ...timestamps,
      changed,
      before,
      totals: {
        notParticipating: this.state.money.of('Not Participating'),
        offline: this.state.money.of('Offline'),
        online: this.state.money.of('Online'),
      },
      transactions: transactions.map(({ member: { txId, transaction } }) => ({
        txId,
        lastValid: transaction.lastValid,
      })),
      leases: uses.leases,
    };
    this.#history.add(delta);
    return delta;
  }

  #store(header: BlockHeader, transactions: BlockParts['transactions']): PreviousBlock {
    const encoded = encode(blockHeader, header);
    const hashes = hashesOf(encoded);
    this.blocks.append({ hash: hashes.hash, header: encoded, transactions });
    return { header, ...hashes };
  }

  #loadState(overlay: ChainOptions['overlay']): void {
    const allocated = new StateDelta(this.state);
    for (const [address, allocation] of this.genesis.allocations) {
      allocated.setAccount(addressKey(address), accountFromGenesis(allocation));
    }
    this.state.apply(allocated);
    if (overlay !== undefined) this.state.apply(overlay(this.state));
  }
}

/**
 * The account that a genesis allocation creates. An online account without a voting key has no keys that could expire.
 * @throws DevnodeError `invalid_genesis` for a status that does not exist
 */
function accountFromGenesis(allocation: GenesisAccount): Account {
  const { online, microAlgos, ...keys } = allocation;
  const status = ACCOUNT_STATUSES[online];
  if (status === undefined) throw new DevnodeError('invalid_genesis', `genesis, onl: ${online} is not 0, 1 or 2`);
  const votes = status === 'Online' && !isAllZero(keys.voteKey);
  return { ...EMPTY_ACCOUNT, microAlgos, status, participation: votes ? keys : undefined };
}
