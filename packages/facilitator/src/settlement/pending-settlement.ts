import { deferred } from '@avm402/core/deferred';
import type { AlgodPool } from '../chain/algod-pool.ts';
import { returnsAlgo } from './channel-move.ts';
import type { Log } from '../log/log.ts';
import type { PhaseTimes } from './phase-times.ts';
import { requestContext } from '../log/request-context.ts';
import type { WatchedPayment } from '../chain/round-watcher.ts';
import type { Settlement, Transition } from './settlement.ts';
import {
  beginning,
  type Command,
  next,
  type Progress,
  type SettlementEnd,
  type SettlementEvent,
  type SettlementStep,
} from './settlement-machine.ts';
import type { SettlementStore } from './settlement-store.ts';
import { sleep } from '../sleep.ts';
import { refusalCode, submit } from './submission.ts';

export interface PendingSettlementOptions {
  readonly settlement: Settlement;
  readonly group: Uint8Array;
  readonly pool: AlgodPool;
  readonly store: SettlementStore;
  readonly log: Log;
  /** Phase times since the settlement began here. */
  readonly times: PhaseTimes;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Fires when the facilitator closes. */
  readonly signal: AbortSignal;
  /** Called when a node refused it. */
  readonly onRejected: () => void;
  /** Called when nothing is left to do here. */
  readonly onEnd: (end: SettlementEnd) => void;
}

/**
 * One settlement on its way to an outcome, in this process. It carries out the settlement machine's commands, one event
 * at a time. Every step is written to the store first. If the store fails it stops, and the row is taken up again
 * later.
 */
export class PendingSettlement implements WatchedPayment {
  readonly #answerable = deferred<Settlement | undefined>();
  /**
   * Resolves when the row is worth reading again: it has an outcome, or nothing more happens here. The value is the row
   * if it was confirmed just now.
   */
  readonly answerable = this.#answerable.promise;
  /** Resolves when a node has taken it into its pool, or when it is `answerable`. */
  readonly #taken = deferred<void>();
  readonly #options: Omit<PendingSettlementOptions, 'settlement' | 'group'>;
  readonly #row: Settlement;
  /** The request that started it; absent if it was taken over. */
  readonly #request = requestContext.getStore()?.facts;
  /** Absent once it is refused: it is never sent again, and thousands may wait until they expire. */
  #group: Uint8Array | undefined;
  #progress: Progress;
  readonly #events: SettlementEvent[] = [];
  #isBusy = false;
  #hasEnded = false;
  /** Whether the last answer of a node was that it took the payment. Any other answer leaves doubts. */
  #isTaken = false;

  constructor({ settlement, group, ...options }: PendingSettlementOptions) {
    const { group: _, ...row } = settlement;
    this.#options = options;
    this.#row = row;
    this.#group = row.state === 'rejected' ? undefined : group;
    this.#progress = beginning(row);
    void this.answerable.then(() => this.#taken.resolve());
  }

  get txId(): string {
    return this.#row.txId;
  }

  get firstValid(): bigint {
    return this.#row.firstValid;
  }

  get lastValid(): bigint {
    return this.#row.lastValid;
  }

  /** When its row was written, in milliseconds since 1970. */
  get recordedAt(): number {
    return this.#row.recordedAt;
  }

  /** Whether a node refused it: nobody waits for its outcome any longer. */
  get isRefused(): boolean {
    return this.#group === undefined;
  }

  /** A payment confirmed up to this round is not ours. */
  get since(): bigint {
    return this.#progress.round;
  }

  /**
   * Its row, once a node has said that it has the payment in its pool; undefined as soon as there is more to say, or if
   * that can't be known.
   */
  async taken(): Promise<Settlement | undefined> {
    await this.#taken.promise;
    return this.#isTaken && !this.#hasEnded ? { ...this.#row, state: 'submitted' } : undefined;
  }

  /** Starts the settlement. Call once, after the watcher watches it. */
  start(): void {
    if (this.#row.state === 'rejected') this.#answerable.resolve(undefined);
    this.#tell({ type: 'begun', state: this.#row.state });
  }

  found(round: bigint): void {
    this.#tell({ type: 'found', round });
  }

  passed(round: bigint): void {
    this.#tell({ type: 'passed', round, now: this.#options.now() });
  }

  expired(): void {
    this.#tell({ type: 'proven_absent' });
  }

  /** A development node went back to a lower round. */
  wentBack(): void {
    this.#tell({ type: 'went_back' });
  }

  #tell(event: SettlementEvent): void {
    this.#events.push(event);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let event = this.#events.shift(); event !== undefined && !this.#hasEnded; event = this.#events.shift()) {
        const { progress, commands } = next(this.#progress, event);
        this.#progress = progress;
        for (const command of commands) await this.#do(command);
      }
    } catch (error) {
      this.#options.log.error({ transaction: this.txId, err: error }, 'a settlement could not be written');
      this.#end('left_for_later');
    } finally {
      this.#isBusy = false;
    }
  }

  async #do(command: Command): Promise<void> {
    switch (command.do) {
      case 'write':
        return this.#write(command.step);
      case 'submit':
        return void this.#submit();
      case 'rest':
        return void this.#rest(command.ms);
      case 'ask_round':
        return void this.#askRound();
      case 'end':
        return this.#end(command.end);
    }
  }

  /** The result of the write is the next event, ahead of all that wait. */
  async #write(step: SettlementStep): Promise<void> {
    const { store } = this.#options;
    const transition = this.#transitionOf(step);
    if (transition.to === 'confirmed') await this.#endChannel();
    const isOurs = await store.change(this.txId, this.#row.owner, transition);
    if (isOurs) this.#wrote(transition);
    this.#events.unshift({ type: 'written', to: transition.to, isOurs });
  }

  /** Done before the outcome is written: if the process dies in between, both are done again. */
  async #endChannel(): Promise<void> {
    const { channel } = this.#row;
    if (channel !== undefined && returnsAlgo(channel)) await this.#options.store.endChannel(channel.id);
  }

  #transitionOf(step: SettlementStep): Transition {
    if (step.to !== 'rejected') return step;
    const row = { ...this.#row, ...(this.#group !== undefined && { group: this.#group }) };
    return { to: 'rejected', reason: refusalCode(step.why, row), isPassedOn: step.isPassedOn };
  }

  #wrote(transition: Transition): void {
    if (transition.to === 'confirmed') {
      this.#options.times.end('confirm');
      this.#answerable.resolve({ ...this.#row, state: 'confirmed', confirmedRound: transition.confirmedRound });
    }
    if (transition.to !== 'rejected') return;
    const { log, onRejected } = this.#options;
    log.warn(
      { transaction: this.txId, reason: transition.reason },
      'a node refused a payment; it is watched until it expires',
    );
    this.#group = undefined;
    onRejected();
    this.#answerable.resolve(undefined);
  }

  async #submit(): Promise<void> {
    const { pool, now, log } = this.#options;
    if (this.#group === undefined) return;
    const submitted = { at: now(), round: pool.lastRound };
    try {
      const submission = await submit(pool, this.#group, this.#row);
      this.#options.times.end('submit');
      this.#isTaken = submission.answer === 'accepted';
      if (this.#isTaken) this.#taken.resolve();
      const text = submission.answer === 'unknown' ? submission.refusal?.text : undefined;
      if (text !== undefined) log.warn({ transaction: this.txId, text }, "a node can't take a payment now");
      this.#tell({ type: 'answered', submission, submitted });
    } catch (error) {
      log.error({ transaction: this.txId, err: error }, 'a settlement could not be submitted');
      this.#end('left_for_later');
    }
  }

  async #rest(ms: number): Promise<void> {
    const { signal } = this.#options;
    await sleep(ms, signal);
    if (!signal.aborted) this.#tell({ type: 'rested' });
  }

  async #askRound(): Promise<void> {
    const round = await this.#options.pool.currentRound().catch(() => undefined);
    this.#tell({ type: 'round_told', ...(round !== undefined && { round }) });
  }

  #end(end: SettlementEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#logEnd(end);
    this.#answerable.resolve(undefined);
    this.#options.onEnd(end);
  }

  /** Each payment has one such line, in the log of the process that saw its end. */
  #logEnd(outcome: SettlementEnd): void {
    const { log, times } = this.#options;
    if (outcome === 'left_for_later' || outcome === 'lost_to_replica') {
      return log.info({ transaction: this.txId, outcome }, 'another process goes on with a settlement');
    }
    const { network, amount, asset, payer, payTo } = this.#row;
    const facts = { transaction: this.txId, outcome, network, amount: String(amount), asset, payer, payTo };
    log.info({ ...facts, ...this.#request, ms: times.ms }, 'settlement ended');
  }
}
