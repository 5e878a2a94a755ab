import { stateChange, type DevState, type StateChange } from './schema.ts';
import { setImmediate as otherEvents } from 'node:timers/promises';
import { formatAddress } from '@avm402/algorand/address';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { notFound, refused } from '../errors.ts';
import type { Chain, Lookback } from '../ledger/chain.ts';
import type { Markable } from '../ledger/mark.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import type { Pool } from '../pool/pool.ts';
import type { BlockProducer } from '../production/block-producer.ts';
import type { DevClock } from '../production/dev-clock.ts';
import { idText } from '../transaction/member.ts';
import { nodeRecords, stateFile } from '../state-file/dump-node.ts';
import { bytesSource } from '../state-file/frames.ts';
import { loadNode } from '../state-file/load-node.ts';
import type { Faults } from './faults.ts';
import type { Impersonation } from './impersonation.ts';
import { Snapshots, type Snapshot } from './snapshots.ts';

/** The most changes that are listed. */
const MAX_CHANGES = 1000;
/** How many rounds are mined before other events get their turn. */
const ROUNDS_AT_ONCE = 100;

export interface ChainControlsOptions {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly blocks: BlockProducer;
  readonly clock: DevClock;
  readonly impersonation: Impersonation;
  readonly faults: Faults;
  readonly lookback: Lookback;
  readonly strict: boolean;
  /** Forgets the groups that were submitted asynchronously and have not been judged yet. */
  readonly clearBacklog: () => void;
}

/** The controls that no real node allows. `state` shows all that they set and change, and `reset` undoes it. */
export class ChainControls {
  readonly #options: ChainControlsOptions;
  readonly #snapshots: Snapshots;
  readonly #changes = new Changes();

  constructor(options: ChainControlsOptions) {
    const { chain, pool, clock } = options;
    this.#options = options;
    this.#snapshots = new Snapshots([chain, clock, pool, this.#changes], () => chain.latest.round);
  }

  state(): DevState {
    const { chain, pool, blocks, clock, impersonation, faults, strict } = this.#options;
    return {
      round: chain.latest.round,
      blocks: typeof blocks.mode === 'string' ? blocks.mode : 'interval',
      strict,
      paused: blocks.paused,
      secondsAhead: clock.setting.ahead,
      timestampOffset: clock.setting.offset,
      poolTransactions: pool.size,
      snapshots: this.#snapshots.all.map(({ id, round }) => ({ id, round })),
      impersonated: impersonation.addresses.map(formatAddress),
      faults: faults.all.map(({ delayMs = 0, status = 0, lose = '', times = 0, ...set }) => ({
        ...set,
        delayMs,
        status,
        lose,
        times: BigInt(times),
        struck: BigInt(set.struck),
      })),
      changes: this.#changes.all,
    };
  }

  /** Adds a part beside the chain to what snapshots remember. */
  remember(part: Markable): void {
    this.#snapshots.add(part);
  }

  /** Restores everything to the node's start: chain, pool, clock, and all that controls have set. */
  reset(): void {
    const { blocks, impersonation, faults, clearBacklog } = this.#options;
    clearBacklog();
    impersonation.clear();
    faults.clear();
    blocks.jump(() => this.#snapshots.revertToStart());
  }

  /**
   * Makes blocks from the pool; once the pool has run out, empty ones.
   * @throws DevnodeError `refused`, also if the chain is replaced before all are made; `shutting_down`
   */
  async mine(rounds = 1): Promise<void> {
    if (!Number.isSafeInteger(rounds) || rounds < 1) {
      throw refused(`rounds must be a whole number from 1, not ${rounds}`);
    }
    const { blocks } = this.#options;
    const { jumps } = blocks;
    for (let made = 0; made < rounds; made++) {
      if (made > 0 && made % ROUNDS_AT_ONCE === 0) await otherEvents();
      if (blocks.jumps !== jumps) throw refused(`the chain was replaced after ${made} of ${rounds} rounds were mined`);
      blocks.makeBlock();
    }
  }

  /** @throws DevnodeError `refused` before the latest block’s timestamp, and after the year 9999 */
  setTime(timestamp: bigint): void {
    const { clock, chain } = this.#options;
    clock.setTime(timestamp, chain.latest.timestamp);
  }

  /**
   * Gives the next block's timestamp.
   * @throws as `setTime` does
   */
  increaseTime(seconds: bigint): bigint {
    const { clock, chain } = this.#options;
    return clock.increaseTime(seconds, chain.latest.timestamp);
  }

  /** @throws DevnodeError `refused`, `shutting_down` */
  takeSnapshot(): Snapshot {
    this.#options.blocks.checkOpen();
    return this.#snapshots.take();
  }

  /** @throws DevnodeError `not_found` (404), `shutting_down` */
  revert(id: number): void {
    const { blocks, strict, clearBacklog } = this.#options;
    blocks.jump(() => {
      this.#snapshots.revert(id);
      clearBacklog();
    });
    // A group in the snapshot's pool may have waited for a block that was on its way.
    if (!strict) blocks.settleUnattended();
  }

  /**
   * Changes the ledger in a separate block without transactions.
   * @throws DevnodeError `refused`, `shutting_down`
   */
  change(change: Partial<StateChange>, make: (state: StateDelta, parameters: ConsensusParameters) => void): void {
    const { blocks, chain } = this.#options;
    blocks.makeBlockWith((state) => make(state, chain.parameters));
    this.#changes.note({ ...change, round: chain.latest.round });
  }

  /**
   * Takes a transaction and its group out of the pool, as if they had never arrived; gives their ids.
   * @throws DevnodeError `not_found` (404)
   */
  drop(txId: Uint8Array): string[] {
    const { pool, chain } = this.#options;
    const dropped = pool.drop(txId).map((member) => idText(member.txId));
    for (const id of dropped) this.#changes.note({ control: 'drop', txId: id, round: chain.latest.round });
    if (dropped.length > 0) return dropped;
    throw notFound('the pool holds no such transaction');
  }

  /** Writes the state as a file: accounts, assets, the blocks that are kept, leases, clock. The pool is not in it. */
  dump(): Uint8Array {
    const { chain, clock } = this.#options;
    return Buffer.concat([...stateFile(nodeRecords({ chain, clock: clock.setting }))]);
  }

  /**
   * Continues from the state in a state file; evaluates the pool again.
   * @throws DevnodeError `invalid_state_file`, `damaged_state_file`, `shutting_down`; the node is then unchanged
   */
  load(file: Uint8Array): void {
    const { chain, clock, blocks, lookback } = this.#options;
    const loaded = loadNode(bytesSource('the state file', file), { lookback, genesis: chain.genesis });
    blocks.jump(() => {
      chain.adopt(loaded.chain);
      clock.restore(loaded.clock);
    });
    this.#changes.clear();
  }
}

/** The changes that controls have made in ledger and pool, oldest first. */
class Changes {
  #all: readonly StateChange[] = [];

  get all(): readonly StateChange[] {
    return this.#all;
  }

  note(change: Partial<StateChange>): void {
    this.#all = [...this.#all, stateChange.of(change)].slice(-MAX_CHANGES);
  }

  clear(): void {
    this.#all = [];
  }

  mark(): () => void {
    const all = this.#all;
    return () => {
      this.#all = all;
    };
  }
}
