import { shuttingDown } from '../errors.ts';
import type { AppendedBlock, Chain } from '../ledger/chain.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import type { GroupMember } from '../transaction/member.ts';
import type { Pool } from '../pool/pool.ts';
import type { DevClock } from './dev-clock.ts';
import { BlockPace, type Settled } from './block-pace.ts';
import { RoundWaiters } from './round-waiters.ts';

/** When blocks are made. `instant`: on each submission (see BlockPace); `manual`: only by `mine`; else at intervals. */
export type BlockProduction = 'instant' | 'manual' | { readonly everyMs: number };

export interface BlockProducerOptions {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly mode: BlockProduction;
  readonly clock: DevClock;
  /** The wall clock in ms since 1970. */
  readonly now: () => number;
  /** Called with the error when a block that no caller waits for could not be made. */
  readonly onInternalError: (error: unknown) => void;
}

/** Makes blocks from the pool, and notifies listeners of each. */
export class BlockProducer {
  readonly #options: BlockProducerOptions;
  readonly #listeners: ((appended: AppendedBlock) => void)[] = [];
  readonly #jumpListeners: ((round: bigint) => void)[] = [];
  readonly #interval: NodeJS.Timeout | undefined;
  readonly #pace: BlockPace;
  readonly #waiters = new RoundWaiters();
  #lastBlockAt: number | undefined;
  #jumps = 0;
  #closed = false;

  constructor(options: BlockProducerOptions) {
    this.#options = options;
    const { mode, now } = options;
    this.#pace = new BlockPace({ now, makeBlocks: () => this.#makeBlocksOfPool() });
    if (typeof mode !== 'object') return;
    this.#interval = setInterval(() => this.#makeIntervalBlock(), mode.everyMs);
  }

  /** Calls the listener with each new block, in order, after the listeners before it. */
  onBlock(listener: (appended: AppendedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls the listener with the latest round when the chain was replaced. */
  onJump(listener: (round: bigint) => void): void {
    this.#jumpListeners.push(listener);
  }

  /** How often the chain was replaced. */
  get jumps(): number {
    return this.#jumps;
  }

  get mode(): BlockProduction {
    return this.#options.mode;
  }

  /** Whether, for now, only `makeBlock` and `makeBlockWith` make blocks. */
  get paused(): boolean {
    return this.#options.clock.paused;
  }

  /** Stops making blocks by itself; submissions wait in the pool. */
  pause(): void {
    this.#options.clock.paused = true;
  }

  /**
   * Makes blocks by itself again; with instant blocks, what waits gets a block at once.
   * @throws DevnodeError `shutting_down`
   */
  resume(): void {
    this.#options.clock.paused = false;
    this.#makeBlocksOfPool();
  }

  /**
   * Makes a block from the pool.
   * @throws DevnodeError `shutting_down`
   */
  makeBlock(): void {
    this.checkOpen();
    const { pool, clock } = this.#options;
    this.#tell(pool.makeBlock(clock.read()));
  }

  /**
   * Makes a block that holds no transactions, only a change of the state.
   * @throws DevnodeError `shutting_down`, or the refusal of the change
   */
  makeBlockWith(change: (state: StateDelta) => void): void {
    this.checkOpen();
    const { chain, pool, clock } = this.#options;
    const block = chain.startBlock();
    change(block.state);
    const appended = chain.append(block, clock.read());
    pool.rebuild();
    this.#tell(appended);
  }

  /**
   * Continues on another chain: `move` replaces the present one. What waits is evaluated again, and gets a block if the
   * move ends a pause.
   * @throws DevnodeError `shutting_down`
   */
  jump(move: () => void): void {
    this.checkOpen();
    const wasPaused = this.paused;
    move();
    this.#jumps++;
    const { chain, pool } = this.#options;
    pool.rebuild();
    this.#pace.forget();
    this.#waiters.reached(chain.latest.round);
    for (const listener of this.#jumpListeners) listener(chain.latest.round);
    if (wasPaused) this.#makeBlocksOfPool();
  }

  /** Milliseconds since this process made a block; 0 before the first. */
  get sinceLastBlockMs(): number {
    const elapsed = this.#lastBlockAt === undefined ? 0 : this.#options.now() - this.#lastBlockAt;
    return Math.max(0, elapsed);
  }

  /**
   * Resolves when block `round` exists, when `timeoutMs` have passed, or when `signal` aborts: the caller checks which.
   * @throws DevnodeError `shutting_down` (500) when the node is closed
   */
  waitForRound(round: bigint, options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<void> {
    const isThere = round <= this.#options.chain.latest.round;
    return isThere ? Promise.resolve() : this.#waiters.wait(round, options);
  }

  /** Takes note of an arriving group: while clients are short of rounds, instant blocks slow down. */
  noteArrival(group: readonly GroupMember[]): void {
    this.#pace.noteArrival(group, this.#options.chain.latest.round);
  }

  /** Calls back when blocks hold what was submitted; at once, if submissions don't cause blocks. */
  settle(settled: Settled): void {
    if (this.#options.mode === 'instant' && !this.paused) this.#pace.ask(settled);
    else settled();
  }

  /** The same, when no caller waits for the blocks. If it fails, the pool goes into a later block, unless the node stops. */
  settleUnattended(): void {
    this.settle((error) => {
      if (error !== undefined && !this.#closed) this.#options.onInternalError(error);
    });
  }

  /** @throws DevnodeError `shutting_down` */
  checkOpen(): void {
    if (this.#closed) throw shuttingDown();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#interval);
    this.#waiters.close();
    this.#pace.close();
  }

  #makeBlocksOfPool(): void {
    const { mode, pool } = this.#options;
    if (this.paused || mode !== 'instant') return;
    while (pool.size > 0) this.makeBlock();
  }

  #makeIntervalBlock(): void {
    if (!this.paused) this.#unattended(() => this.makeBlock());
  }

  #unattended(makeBlocks: () => void): void {
    try {
      makeBlocks();
    } catch (error) {
      this.#options.onInternalError(error);
    }
  }

  #tell(appended: AppendedBlock): void {
    this.#options.clock.blockMade();
    this.#lastBlockAt = this.#options.now();
    this.#waiters.reached(appended.round);
    for (const listener of this.#listeners) listener(appended);
  }
}
