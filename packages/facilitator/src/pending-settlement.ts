import type { AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { chainRefusal } from '@avm402/avm/exact/facilitator';
import type { AlgodPool } from './algod-pool.ts';
import type { Log } from './log.ts';
import type { WatchedPayment } from './round-watcher.ts';
import type { Settlement } from './settlement.ts';
import type { SettlementStore } from './settlement-store.ts';
import { sleep } from './sleep.ts';
import { type Submission, submit } from './submission.ts';

export interface PendingSettlementOptions {
  readonly settlement: Settlement;
  readonly group: Uint8Array;
  readonly pool: AlgodPool;
  readonly store: SettlementStore;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Fires when the facilitator closes. */
  readonly signal: AbortSignal;
  /** Called when a node refused it. */
  readonly onRejected: () => void;
  /** Called when there is nothing left to do here. */
  readonly onEnd: (end: SettlementEnd) => void;
}

/** Why nothing is left to do here. `left for later`: the store failed, and the row has to be taken up again. */
export type SettlementEnd =
  | 'confirmed'
  | 'expired'
  | 'not ours: the payment was on chain already'
  | 'lost to another replica'
  | 'left for later';

/**
 * What is known of the way to the nodes. `first`: the first request of this row is under way. `unknown`: a request was
 * sent and no node has answered. `accepted`, `refused`: a node has.
 */
type Way = 'unsent' | 'first' | 'unknown' | 'accepted' | 'refused';

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;

/** A group that a node accepted is handed out again after some time and some rounds, none of which has it. */
const RESUBMIT_MS = 10_000;
const RESUBMIT_ROUNDS = 5n;

/**
 * One settlement on its way to an outcome, in this process: submits the group, learns from the round watcher what
 * becomes of it, and writes every step to the store first. If the store fails it stops; the row is taken up again later.
 */
export class PendingSettlement implements WatchedPayment {
  readonly txId: string;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /**
   * Resolves when it is worth looking at the row: it has an outcome, or nothing more happens here. With the row, if it
   * was confirmed just now.
   */
  readonly answerable: Promise<Settlement | undefined>;
  readonly #options: PendingSettlementOptions;
  readonly #isFresh: boolean;
  #round: bigint;
  #way: Way = 'unsent';
  #foundRound: bigint | undefined;
  /** The last round that the watcher has searched for it. */
  #searched: bigint;
  #submitted = { at: 0, round: 0n };
  /** A refusal of a repeated request, and the round up to which blocks must be searched before it counts. */
  #refusal: { readonly refusal: AlgodRefusal; readonly round: bigint } | undefined;
  #ended = false;
  #resolve: (confirmed?: Settlement) => void = () => {};

  constructor(options: PendingSettlementOptions) {
    const { txId, firstValid, lastValid, round, state } = options.settlement;
    this.txId = txId;
    this.firstValid = firstValid;
    this.lastValid = lastValid;
    this.#round = round;
    this.#searched = round;
    this.#options = options;
    this.#isFresh = state === 'recorded';
    if (state === 'rejected') this.#way = 'refused';
    this.answerable = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** What is confirmed up to this round is not ours. */
  get since(): bigint {
    return this.#round;
  }

  /** Brings the settlement on its way. Call once, after the watcher watches it. */
  start(): void {
    if (this.#way === 'refused') this.#resolve();
    else void this.#attempt(() => this.#submit());
  }

  found(round: bigint): void {
    this.#foundRound = round;
    void this.#attempt(() => this.#conclude());
  }

  passed(round: bigint): void {
    this.#searched = round;
    if (this.#refusal !== undefined) void this.#attempt(() => this.#rejectIfSearched());
    if (this.#way === 'accepted' && this.#isOverdue(round)) void this.#attempt(() => this.#submitAgain());
  }

  expired(): void {
    const { store, settlement } = this.#options;
    void this.#attempt(async () => {
      const isOurs = await store.change(this.txId, settlement.owner, { to: 'expired' });
      this.#end(isOurs ? 'expired' : 'lost to another replica');
    });
  }

  /**
   * A development node went back: what was accepted may be gone. How far back it was before anybody knew is unknown, and
   * the payment may be in any block of its window by now.
   */
  wentBack(): void {
    const before = this.firstValid === 0n ? 0n : this.firstValid - 1n;
    if (before < this.#round) this.#round = before;
    if (this.#way === 'accepted') void this.#attempt(() => this.#submitAgain());
  }

  #isOverdue(round: bigint): boolean {
    const { at, round: since } = this.#submitted;
    return round >= since + RESUBMIT_ROUNDS && this.#options.now() >= at + RESUBMIT_MS;
  }

  /** Runs a step. A store that fails ends the work here; the row is taken up again later. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    if (this.#ended) return;
    try {
      await step();
    } catch (error) {
      this.#options.log.error({ transaction: this.txId, err: error }, 'a settlement could not be written');
      this.#end('left for later');
    }
  }

  async #submit(): Promise<void> {
    const { store, settlement } = this.#options;
    if (this.#isFresh && !(await store.change(this.txId, settlement.owner, { to: 'submitted' }))) {
      return this.#end('lost to another replica');
    }
    this.#way = this.#isFresh ? 'first' : 'unknown';
    await this.#submitUntilAnswered();
  }

  async #submitAgain(): Promise<void> {
    this.#way = 'unknown';
    await this.#submitUntilAnswered();
  }

  async #submitUntilAnswered(): Promise<void> {
    const { group, pool, signal, now, log } = this.#options;
    for (let attempt = 0; !this.#ended && !signal.aborted; attempt++) {
      this.#submitted = { at: now(), round: pool.lastRound };
      const submission = await submit(pool, group);
      if (submission.answer !== 'unknown') return this.#answered(submission);
      const { text } = submission.refusal ?? {};
      if (text !== undefined) log.warn({ transaction: this.txId, text }, 'a node cannot take a payment at the moment');
      // If no request is without an answer no node can have it from us: the next request is still the first.
      if (submission.unanswered > 0) this.#way = 'unknown';
      await this.#conclude();
      await sleep(Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS), signal);
    }
  }

  async #answered(submission: Exclude<Submission, { answer: 'unknown' }>): Promise<void> {
    if (this.#ended) return;
    const isFirst = this.#way === 'first' && submission.unanswered === 0;
    if (submission.answer === 'already_there' && isFirst) return this.#release();
    this.#way = submission.answer === 'refused' ? 'refused' : 'accepted';
    if (this.#foundRound !== undefined) return this.#conclude();
    if (submission.answer !== 'refused') return;
    this.#refusal = { refusal: submission.refusal, round: isFirst ? 0n : await this.#currentRound() };
    await this.#rejectIfSearched();
  }

  /**
   * The round up to which blocks must be searched before a refusal of a repeated request counts: a payment that is
   * confirmed is refused too, once its window is over.
   */
  async #currentRound(): Promise<bigint> {
    return this.#options.pool.currentRound().catch(() => this.lastValid);
  }

  async #rejectIfSearched(): Promise<void> {
    const { store, settlement, log } = this.#options;
    const refusal = this.#refusal;
    if (refusal === undefined || refusal.round > this.#searched || this.#foundRound !== undefined) return;
    this.#refusal = undefined;
    const { code } = chainRefusal(refusal.refusal, settlement, 'settlement_rejected');
    const isOurs = await store.change(this.txId, settlement.owner, { to: 'rejected', reason: code });
    if (!isOurs) return this.#end('lost to another replica');
    this.#options.onRejected();
    log.warn({ transaction: this.txId, reason: code }, 'a node refused a payment; it is watched until it expires');
    this.#resolve();
  }

  /**
   * It is in a block. While the first request is unanswered nobody knows who brought it there; and what was there
   * before the row was written was brought by somebody else.
   */
  async #conclude(): Promise<void> {
    const { store, settlement } = this.#options;
    const round = this.#foundRound;
    if (round === undefined || this.#way === 'first' || this.#way === 'unsent') return;
    if (round <= this.#round) return this.#release();
    const isOurs = await store.change(this.txId, settlement.owner, { to: 'confirmed', confirmedRound: round });
    if (!isOurs) return this.#end('lost to another replica');
    const { group: _sent, ...row } = settlement;
    this.#resolve({ ...row, state: 'confirmed', confirmedRound: round });
    this.#end('confirmed');
  }

  async #release(): Promise<void> {
    const { store, settlement } = this.#options;
    const isReleased = await store.change(this.txId, settlement.owner, { to: 'released' });
    this.#end(isReleased ? 'not ours: the payment was on chain already' : 'lost to another replica');
  }

  #end(outcome: SettlementEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.log.info({ transaction: this.txId, outcome }, 'settlement ended');
    this.#resolve();
    this.#options.onEnd(outcome);
  }
}
