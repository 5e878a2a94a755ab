import { setImmediate as otherEvents } from 'node:timers/promises';
import type { AlgodNode } from './algod-node.ts';
import type { AlgodPool } from './algod-pool.ts';
import { BlockReader, MissingBlock } from './block-reader.ts';
import { type ExpiredPayment, proveExpiry } from './expiry-proof.ts';
import type { Log } from '../log/log.ts';
import { RoundFeed } from './round-feed.ts';
import { roundsDown, type RoundWindow, smaller } from './round-windows.ts';

/** A payment that is watched until it is in a block or has expired. */
export interface WatchedPayment {
  readonly txId: string;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** Blocks up to this round don't matter, except to prove that the payment expired. */
  readonly since: bigint;
  /** The block of this round contains it. */
  found(round: bigint): void;
  /** No block up to this round contains it. */
  passed(round: bigint): void;
  /** One node has all blocks of its window, and none of them contains it. */
  expired(): void;
}

export interface RoundWatcherOptions {
  readonly pool: AlgodPool;
  /** Whether rounds may fall: then what a node showed earlier proves nothing. */
  readonly development: boolean;
  /** Called with the highest round that any node has shown, each time it grows. */
  readonly onRound: (round: bigint) => void;
  readonly log: Log;
}

interface Entry {
  readonly payment: WatchedPayment;
  /** The present node's blocks have been searched for the payment from this round on. */
  searchedFrom: bigint;
  /** Whether blocks before those still need to be searched, and whether that is under way. */
  isBehind: boolean;
  catchingUp: boolean;
  proving: boolean;
  /** The rounds at which to retry a search or a proof that failed because blocks were missing. */
  catchUpAt: bigint;
  proveAt: bigint;
}

/** Rounds after which missing blocks are asked for again. */
const RETRY_ROUNDS = 50n;

/** What the log says when no node has all blocks of a payment's window. */
const NOT_PROVEN = 'the blocks that would prove an expiry could not be read';

/** Number of payments that are declared expired before other work gets its turn. */
const VERDICTS_AT_ONCE = 100;

/** Blocks that are requested together when the watch is behind: after a start, or when blocks come fast. */
const ROUNDS_AT_ONCE = 16n;

/**
 * Watches one network's blocks for all pending payments together. However many there are, a round costs one
 * wait-for-block-after and one list of TxIDs; while there are none, it costs no list.
 */
export class RoundWatcher {
  readonly #options: RoundWatcherOptions;
  readonly #blocks: BlockReader;
  readonly #entries = new Map<string, Entry>();
  readonly #feed: RoundFeed;
  #node: AlgodNode | undefined;
  /** The last round whose TxIDs have been searched, or did not matter to any payment. */
  #processed = 0n;
  /** The highest round passed to `onRound`, unless a node has gone back since. */
  #reported = 0n;
  /** Grows when blocks that were searched may no longer count. */
  #generation = 0;
  #running: Promise<void> | undefined;

  constructor(options: RoundWatcherOptions) {
    this.#options = options;
    this.#blocks = new BlockReader({ mayChange: options.development });
    this.#feed = new RoundFeed(options);
  }

  /** Begins to watch at the watched node's round; earlier blocks are searched only for payments that ask for them. */
  start(): void {
    const { pool } = this.#options;
    this.#processed = pool.bestNode?.lastRound ?? pool.lastRound;
    this.#reported = pool.lastRound;
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#feed.stop();
    await this.#running;
    this.#reportRound();
  }

  /** Watches a payment until `remove`. */
  add(payment: WatchedPayment): void {
    const isBehind = payment.since < this.#processed;
    const searchedFrom = this.#processed + 1n;
    this.#entries.set(payment.txId, {
      payment,
      searchedFrom,
      isBehind,
      catchingUp: false,
      proving: false,
      catchUpAt: 0n,
      proveAt: 0n,
    });
    if (isBehind) this.#feed.wake();
  }

  remove(txId: string): void {
    this.#entries.delete(txId);
  }

  /** Searches again from `round`, to which a development node went back; for each payment, earlier blocks as well. */
  rewind(round: bigint): void {
    this.#generation += 1;
    this.#reported = round;
    if (round < this.#processed) this.#processed = round;
    for (const entry of this.#entries.values()) {
      const isBehind = entry.payment.since < this.#processed;
      Object.assign(entry, { isBehind, searchedFrom: this.#processed + 1n, catchUpAt: 0n });
    }
    this.#feed.wake();
  }

  /** Ends the wait for a failed node, if another one is connected. */
  leave(node: AlgodNode): void {
    this.#feed.leave(node);
  }

  async #run(): Promise<void> {
    for await (const node of this.#feed) {
      if (node !== this.#node) this.#switchTo(node);
      // Payments wait for these blocks, whose requests leave in the next turn. The round is reported after that.
      const reported = otherEvents().then(() => this.#reportRound());
      try {
        await this.#options.pool.asking(node, () => this.#search(node));
      } catch (error) {
        await this.#feed.pause(error);
      }
      await reported;
    }
  }

  /** Blocks that another node showed prove nothing about this one. */
  #switchTo(node: AlgodNode): void {
    this.#node = node;
    this.#generation += 1;
    for (const entry of this.#entries.values()) {
      Object.assign(entry, { searchedFrom: this.#processed + 1n, catchUpAt: 0n });
    }
  }

  #reportRound(): void {
    const { pool, onRound } = this.#options;
    if (pool.lastRound <= this.#reported) return;
    this.#reported = pool.lastRound;
    onRound(this.#reported);
  }

  async #search(node: AlgodNode): Promise<void> {
    const { lastRound } = node;
    while (this.#processed < lastRound && !this.#feed.stopped.aborted) {
      if (!this.#isAnyAlive()) this.#processed = lastRound;
      else await this.#searchNext(node, smaller(lastRound, this.#processed + ROUNDS_AT_ONCE));
    }
    this.#catchUpBehind(node);
    this.#proveExpired(node);
  }

  #isAnyAlive(): boolean {
    return [...this.#entries.values()].some(({ payment }) => payment.lastValid > this.#processed);
  }

  async #searchNext(node: AlgodNode, to: bigint): Promise<void> {
    try {
      await this.#searchRounds(node, this.#processed + 1n, to);
    } catch (error) {
      // The latest blocks may only be late: behind a load balancer another node may have told the round.
      if (!(error instanceof MissingBlock) || to >= node.lastRound) throw error;
      this.#leaveGap(node, error);
    }
  }

  /**
   * Continues at the node's round, because the node no longer keeps the blocks before it and new payments should not
   * wait for them. Each payment is searched for, in the background, in the blocks that the node still has.
   */
  #leaveGap(node: AlgodNode, error: MissingBlock): void {
    const { lastRound } = node;
    const gap = { from: Number(this.#processed + 1n), to: Number(lastRound), err: error };
    this.#options.log.warn(gap, 'rounds are skipped: the node no longer keeps their blocks');
    this.#generation += 1;
    this.#processed = lastRound;
    for (const entry of this.#entries.values()) {
      Object.assign(entry, { isBehind: true, searchedFrom: lastRound + 1n, catchUpAt: 0n });
    }
  }

  async #searchRounds(node: AlgodNode, from: bigint, to: bigint): Promise<void> {
    const rounds = Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
    const generation = this.#generation;
    const blocks = await Promise.all(rounds.map((round) => this.#blocks.txIds(node, round)));
    // A development node has gone back meanwhile: these blocks may be from before.
    if (this.#generation !== generation) return;
    for (const [index, round] of rounds.entries()) {
      this.#processed = round;
      for (const txId of blocks[index] ?? []) this.#found(txId, round);
      for (const { payment, isBehind } of this.#entries.values()) if (!isBehind) payment.passed(round);
    }
  }

  #catchUpBehind(node: AlgodNode): void {
    const due = [...this.#entries.values()].filter(
      // The node itself may lag behind the one watched before.
      ({ isBehind, catchingUp, searchedFrom, catchUpAt }) =>
        isBehind && !catchingUp && searchedFrom <= node.lastRound + 1n && catchUpAt <= this.#processed,
    );
    if (due.length > 0) void this.#catchUp(node, due);
  }

  /**
   * Searches the blocks from before the watch, each once for all payments, in the background, so that current rounds
   * don't wait for old ones. It starts with the latest, because a node that is not an archive has only those.
   */
  async #catchUp(node: AlgodNode, entries: readonly Entry[]): Promise<void> {
    const generation = this.#generation;
    const open = new Map(entries.map((entry) => [entry, windowBehind(entry)]));
    for (const entry of entries) entry.catchingUp = true;
    try {
      for (const round of roundsDown(open)) {
        const txIds = await this.#blocks.txIds(node, round);
        if (this.#feed.stopped.aborted || this.#generation !== generation) return;
        for (const txId of txIds) this.#found(txId, round);
        this.#endCatchUp(open, round);
      }
      this.#endCatchUp(open, 0n);
    } catch (error) {
      const isOver = isGone(error, node);
      for (const entry of open.keys()) if (isOver) entry.catchUpAt = this.#processed + RETRY_ROUNDS;
      this.#options.log.warn({ payments: open.size, err: error }, 'earlier blocks could not be read');
    } finally {
      for (const entry of entries) entry.catchingUp = false;
    }
  }

  /** Ends the search for payments whose blocks from before the watch have all been searched, down to `round`. */
  #endCatchUp(open: Map<Entry, RoundWindow>, round: bigint): void {
    for (const [entry, { from }] of open) {
      if (from < round) continue;
      open.delete(entry);
      if (this.#entries.get(entry.payment.txId) !== entry) continue;
      entry.isBehind = false;
      entry.payment.passed(this.#processed);
    }
  }

  #found(txId: string, round: bigint): void {
    const entry = this.#entries.get(txId);
    if (entry === undefined) return;
    this.#entries.delete(txId);
    entry.payment.found(round);
  }

  #proveExpired(node: AlgodNode): void {
    const due = [...this.#entries.values()].filter(
      ({ payment, proving, proveAt }) => !proving && payment.lastValid <= this.#processed && proveAt <= this.#processed,
    );
    if (due.length > 0) void this.#prove(node, due);
  }

  async #prove(node: AlgodNode, entries: readonly Entry[]): Promise<void> {
    const { pool, log } = this.#options;
    const generation = this.#generation;
    for (const entry of entries) entry.proving = true;
    try {
      const payments = entries.map((entry) => this.#expired(entry));
      const signal = this.#feed.stopped;
      const verdicts = await proveExpiry({ pool, blocks: this.#blocks, payments, node, signal });
      for (const [index, entry] of entries.entries()) {
        // Each verdict is written to the store, so other work gets a turn in between.
        if (index % VERDICTS_AT_ONCE === 0) await otherEvents();
        if (this.#generation !== generation) return;
        this.#judge(entry, verdicts.get(entry.payment.txId));
      }
    } catch (error) {
      log.warn({ payments: entries.length, err: error }, NOT_PROVEN);
    } finally {
      for (const entry of entries) entry.proving = false;
    }
  }

  #judge(entry: Entry, verdict: 'absent' | bigint | undefined): void {
    const { txId } = entry.payment;
    if (this.#entries.get(txId) !== entry) return;
    if (verdict === undefined) {
      entry.proveAt = this.#processed + RETRY_ROUNDS;
      this.#options.log.warn({ transaction: txId }, NOT_PROVEN);
    } else if (verdict === 'absent') {
      this.#entries.delete(txId);
      entry.payment.expired();
    } else {
      this.#found(txId, verdict);
    }
  }

  /** What a development node showed earlier proves nothing: the payment's whole window is searched again. */
  #expired({ payment: { txId, firstValid, lastValid }, searchedFrom }: Entry): ExpiredPayment {
    return { txId, firstValid, lastValid, searchedFrom: this.#options.development ? lastValid + 1n : searchedFrom };
  }
}

/** The blocks from before the watch that must be searched. */
function windowBehind({ payment, searchedFrom }: Entry): RoundWindow {
  return { from: payment.since + 1n, to: smaller(searchedFrom - 1n, payment.lastValid) };
}

/** Whether a node has thrown a block away. The latest blocks may only be late. */
function isGone(error: unknown, node: AlgodNode): boolean {
  return error instanceof MissingBlock && error.round + ROUNDS_AT_ONCE < node.lastRound;
}
