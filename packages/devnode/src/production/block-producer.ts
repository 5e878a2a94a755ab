import { shuttingDown } from '../errors.ts';
import type { AppendedBlock, Chain } from '../ledger/chain.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import type { GroupMember } from '../transaction/member.ts';
import type { Pool } from '../pool/pool.ts';
import type { DevClock } from './dev-clock.ts';
import { BlockPace, type Settled } from './block-pace.ts';
import { RoundWaiters } from './round-waiters.ts';

/** How blocks come about. `instant`: a block for every submission (see BlockPace); `manual`: only by `mine`; else one every so many ms. */
export type BlockProduction = 'instant' | 'manual' | { readonly everyMs: number };

export interface BlockProducerOptions {
  readonly chain: Chain;
  readonly pool: Pool;
  readonly mode: BlockProduction;
  readonly clock: DevClock;
  /** The wall clock in ms since 1970. */
  readonly now: () => number;
  /** Told why a block that no caller waits for could not be made. */
  readonly onInternalError: (error: unknown) => void;
}

/** Makes blocks of what is in the pool, and tells of each. */
export class BlockProducer {
  readonly #options: BlockProducerOptions;
  readonly #listeners = new Set<(appended: AppendedBlock) => void>();
  readonly #jumpListeners = new Set<(round: bigint) => void>();
  readonly #interval: NodeJS.Timeout | undefined;
  readonly #pace: BlockPace;
  readonly #waiters = new RoundWaiters();
  #lastBlockAt: number | undefined;
  #closed = false;

  constructor(options: BlockProducerOptions) {
    this.#options = options;
    const { mode, now } = options;
    this.#pace = new BlockPace({ now, makeBlocks: () => this.#makeBlocksOfPool() });
    if (typeof mode !== 'object') return;
    this.#interval = setInterval(() => this.#makeIntervalBlock(), mode.everyMs);
  }

  /** Calls the listener with each new block, in their order, until what comes back is called. */
  onBlock(listener: (appended: AppendedBlock) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listener with the latest round whenever the chain has become another, until what comes back is called. */
  onJump(listener: (round: bigint) => void): () => void {
    this.#jumpListeners.add(listener);
    return () => void this.#jumpListeners.delete(listener);
  }

  get mode(): BlockProduction {
    return this.#options.mode;
  }

  /** Whether blocks are made only by `makeBlock` and `makeBlockWith`, for now. */
  get paused(): boolean {
    return this.#options.clock.paused;
  }

  /** Makes no more blocks by itself: submissions wait in the pool. */
  pause(): void {
    this.#options.clock.paused = true;
  }

  /**
   * Makes blocks by itself again; with instant blocks, at once for what waits.
   * @throws DevnodeError `shutting_down`
   */
  resume(): void {
    this.#options.clock.paused = false;
    this.#makeBlocksOfPool();
  }

  /**
   * Makes a block of what is in the pool.
   * @throws DevnodeError `shutting_down`
   */
  makeBlock(): void {
    this.checkOpen();
    const { pool, clock } = this.#options;
    this.#tell(pool.makeBlock(clock.read()));
  }

  /**
   * Makes a block of nothing but changes that no transaction makes.
   * @throws DevnodeError `shutting_down`, or what the change refuses
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
   * Goes on from another place: `move` makes the chain another one. What waits is evaluated anew, and where that ends a
   * pause, gets its block.
   * @throws DevnodeError `shutting_down`
   */
  jump(move: () => void): void {
    this.checkOpen();
    const wasPaused = this.paused;
    move();
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
   * Resolves when block `round` is there, when `timeoutMs` have passed, or when `signal` aborts: the caller looks again.
   * @throws DevnodeError `shutting_down` (500) when the node is closed
   */
  waitForRound(round: bigint, options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<void> {
    const isThere = round <= this.#options.chain.latest.round;
    return isThere ? Promise.resolve() : this.#waiters.wait(round, options);
  }

  /** Looks at a group that comes: while clients are short of rounds, instant blocks take their time. */
  heed(group: readonly GroupMember[]): void {
    this.#pace.heed(group, this.#options.chain.latest.round);
  }

  /** Calls back when blocks hold what was submitted; where none are made of submissions, at once. */
  settle(settled: Settled): void {
    if (this.#options.mode === 'instant' && !this.paused) this.#pace.ask(settled);
    else settled();
  }

  /** The same when no caller waits for the blocks. If it fails, what is in the pool goes into a later block. */
  settleUnattended(): void {
    this.settle((error) => {
      if (error !== undefined) this.#options.onInternalError(error);
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
