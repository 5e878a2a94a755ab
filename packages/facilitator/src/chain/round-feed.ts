import { setImmediate as otherEvents } from 'node:timers/promises';
import { type AlgodNode, isTrouble } from './algod-node.ts';
import type { AlgodPool } from './algod-pool.ts';
import type { Log } from '../log/log.ts';
import { sleep } from '../sleep.ts';

/** How long one wait for a block lasts. The next one starts at the round that the node has shown by then. */
const WAIT_MS = 10_000;
/** Between requests that fail, or that tell no new round. */
const PAUSE_MS = 250;

/**
 * The rounds of one network, as an endless iteration. It yields the node to look at: at once, and then whenever that
 * node has shown a new round, another node must be looked at, or `wake` was called. It ends when it is stopped.
 */
export class RoundFeed implements AsyncIterable<AlgodNode> {
  readonly #pool: AlgodPool;
  readonly #log: Log;
  readonly #stopped = new AbortController();
  /** Ends the wait for a round, even one that is about to begin. */
  #wake = new AbortController();
  #node: AlgodNode | undefined;

  constructor({ pool, log }: { readonly pool: AlgodPool; readonly log: Log }) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Fires when the feed is stopped. */
  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  stop(): void {
    this.#stopped.abort();
    this.#wake.abort();
  }

  /** Ends the wait for a round, because there is something to do. */
  wake(): void {
    this.#wake.abort();
  }

  /** Ends the wait for a failed node, if another one is connected. */
  leave(node: AlgodNode): void {
    if (node === this.#node && this.#pool.nodes.some(({ connected }) => connected)) this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AlgodNode> {
    while (!this.stopped.aborted) {
      this.#wake = new AbortController();
      try {
        this.#node = await this.#pool.nodeToWatch(this.#node);
      } catch (error) {
        await this.pause(error);
        continue;
      }
      const { lastRound } = this.#node;
      yield this.#node;
      // Callers wait for the payments that were found: they are answered before the next wait begins.
      await otherEvents();
      await this.#waitForRoundAfter(lastRound, this.#node);
    }
  }

  /** Call after work with a node failed: the feed goes on after a pause, without waiting for a round. */
  async pause(error: unknown): Promise<void> {
    if (this.stopped.aborted) return;
    if (!isTrouble(error)) this.#log.warn({ err: error }, 'a round could not be read');
    await sleep(Math.max(this.#pool.restMs, PAUSE_MS), this.stopped);
    this.wake();
  }

  async #waitForRoundAfter(round: bigint, node: AlgodNode): Promise<void> {
    const { signal } = this.#wake;
    if (signal.aborted || !node.connected || node.lastRound > round) return;
    const timer = setTimeout(() => this.wake(), WAIT_MS);
    try {
      const wait = () => node.client.waitForBlockAfter(node.lastRound, { signal });
      await this.#pool.asking(node, () => this.#pool.observing(node, wait));
      // Something in front of it may answer at once.
      if (node.lastRound <= round) await sleep(PAUSE_MS, signal);
    } catch (error) {
      // Woken, or no round came: a node that was set back would make us wait for a round that it had before.
      if (!signal.aborted) await this.pause(error);
    } finally {
      clearTimeout(timer);
    }
  }
}
