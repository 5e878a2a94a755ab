import { X402Error, type X402ErrorCode } from '@avm402/core/errors';
import { storing } from '../redemption/claim.ts';
import type { Channel } from './channel.ts';
import { applyStep, type ChannelStep, costOf, type Draft, type HighestVoucher } from './channel-step.ts';
import type { ChangeOutcome, ChannelChange, ChannelStore, RememberedRequest } from './channel-store.ts';
import type { Committing } from './group-commit.ts';

/** Writes of one step before its request is told that the store fails. */
const MAX_ATTEMPTS = 2;

export interface ChannelRecordContext {
  readonly store: ChannelStore;
  /** This process, as rows of requests name it. */
  readonly owner: string;
  /** Asks for a write. */
  readonly submit: (record: Committing) => void;
}

/** Whose record it is. */
export interface RecordHolder {
  readonly highest: HighestVoucher | undefined;
  /** Amounts below it are refused, and their rows can go. */
  readonly floor: bigint;
  /** Why a step must not be made, other than by what the row says. */
  veto(step: ChannelStep): X402ErrorCode | undefined;
  /** Another row was found on record. */
  loaded(remembered: readonly RememberedRequest[]): void;
  /** The row, or what waits to be on record, is another. */
  changed(): void;
  /** The store failed: a step's request got no answer. */
  failed(step: ChannelStep): void;
}

interface Waiting {
  readonly step: ChannelStep;
  readonly recorded: (channel: Channel) => void;
  readonly refused: (error: X402Error) => void;
  attempts: number;
}

/**
 * A channel's row, and the steps that wait to be on it. Each write is made from the version that is known; where another
 * server was faster, or it is not known what became of a write, the record is read again, and what is missing in it is
 * written anew, if it still fits.
 */
export class ChannelRecord implements Committing {
  readonly #context: ChannelRecordContext;
  readonly #holder: RecordHolder;
  #row: Channel;
  #waiting: Waiting[] = [];
  #writing: Waiting[] = [];
  #written: Channel;
  #isSuspect = false;
  /** Its row may be another one by now. */
  #isStale = false;
  #reloading: Promise<void> | undefined;
  #whenWritten: (() => void)[] = [];
  /** Requests whose charge failed to be written and may be on record all the same, with their charge before. */
  readonly #doubtful = new Map<bigint, bigint>();

  constructor(row: Channel, holder: RecordHolder, context: ChannelRecordContext) {
    this.#row = row;
    this.#written = row;
    this.#holder = holder;
    this.#context = context;
  }

  get row(): Channel {
    return this.#row;
  }

  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Whether nothing waits to be on record. */
  get isSettled(): boolean {
    return this.#waiting.length === 0 && this.#writing.length === 0 && this.#reloading === undefined;
  }

  /** Whether all is known about what is on record. */
  get isCertain(): boolean {
    return this.isSettled && this.#doubtful.size === 0;
  }

  /** What the waiting steps add to what is charged. */
  get waitingCost(): bigint {
    return [...this.#writing, ...this.#waiting].reduce((sum, { step }) => sum + costOf(step), 0n);
  }

  /** Resolves with the row once the step is on it. Rejects with an X402Error: it does not fit, or `store_unavailable`. */
  add(step: ChannelStep): Promise<Channel> {
    return new Promise((recorded, refused) => {
      this.#waiting.push({ step, recorded, refused, attempts: 0 });
      this.#goOn();
    });
  }

  /**
   * Sees to it that the row is the one on record, if there is doubt about it.
   * @throws X402Error `store_unavailable`
   */
  async fresh(): Promise<void> {
    if (this.#isStale) await this.#reload();
  }

  /**
   * Reads the record again.
   * @throws X402Error `store_unavailable`
   */
  async refresh(): Promise<void> {
    while (this.#writing.length > 0) await new Promise<void>((resolve) => this.#whenWritten.push(resolve));
    await this.#reload();
  }

  change(): ChannelChange | undefined {
    if (this.#reloading !== undefined) return undefined;
    const { version } = this.#row;
    let draft: Draft = { next: { ...this.#row, version: version + 1, floor: this.#holder.floor } };
    for (const waiting of this.#waiting.splice(0)) {
      const next = this.#holder.veto(waiting.step) ?? applyStep(draft, waiting.step, this.#holder.highest);
      if (typeof next === 'string') waiting.refused(new X402Error(next));
      else {
        draft = next;
        this.#writing.push(waiting);
      }
    }
    this.#holder.changed();
    if (this.#writing.length === 0) return undefined;
    this.#written = draft.next;
    return { ...draft, previous: version };
  }

  written(outcome: ChangeOutcome): void {
    if (outcome === 'outdated') return this.#again();
    this.#row = this.#written;
    this.#isSuspect = false;
    const written = this.#writing;
    this.#writing = [];
    this.#holder.changed();
    for (const { recorded } of written) recorded(this.#row);
    this.#goOn();
    this.#tellWritten();
  }

  failed(error: unknown): void {
    this.#isSuspect = true;
    for (const waiting of this.#writing) waiting.attempts++;
    this.#again(error);
  }

  /** Asks for a write, unless one is under way, or it isn't known what to write it on. */
  #goOn(): void {
    if (this.#waiting.length === 0 || this.#writing.length > 0 || this.#reloading !== undefined) return;
    if (this.#isStale) this.#again();
    else this.#context.submit(this);
  }

  /** What was written may not be on record, or another row is: looks, and makes the steps that are missing anew. */
  #again(reason?: unknown): void {
    void this.#lookAgain(reason);
  }

  async #lookAgain(reason: unknown): Promise<void> {
    try {
      await this.#reload(reason);
    } catch {
      // Whoever waited has been told.
    } finally {
      this.#tellWritten();
    }
  }

  /** If it fails, whatever waits is refused, also what came meanwhile: nobody else would tell it. */
  async #reload(reason?: unknown): Promise<void> {
    this.#isStale = true;
    this.#reloading ??= this.#load()
      .catch((error: unknown) => {
        this.#refuseAll(new X402Error('store_unavailable', { cause: reason ?? error }));
        throw error;
      })
      .finally(() => {
        this.#reloading = undefined;
      });
    await this.#reloading;
    this.#goOn();
  }

  async #load(): Promise<void> {
    const { channelId } = this.#row;
    const { store } = this.#context;
    const [row, remembered] = await storing(() => Promise.all([store.get(channelId), store.remembered(channelId)]));
    if (row === undefined) throw new X402Error('store_unavailable', { message: `the record of ${channelId} is gone` });
    const writing = this.#writing;
    const recorded = await storing(() => Promise.all(writing.map(({ step }) => this.#isOn(row, remembered, step))));
    const undoing = await storing(() => this.#undoing(remembered));
    this.#isStale = false;
    this.#writing = [];
    this.#row = row;
    this.#holder.loaded(remembered);
    this.#waiting.unshift(...undoing, ...this.#missing(writing, recorded));
    this.#holder.changed();
  }

  /** Tells the steps that are on record, and those that failed too often; what is left is to be written again. */
  #missing(writing: readonly Waiting[], recorded: readonly boolean[]): Waiting[] {
    return writing.filter((waiting, index) => {
      if (recorded[index] === true) waiting.recorded(this.#row);
      else if (waiting.attempts >= MAX_ATTEMPTS) this.#refuse(waiting, new X402Error('store_unavailable'));
      else return true;
      return false;
    });
  }

  async #isOn(row: Channel, remembered: readonly RememberedRequest[], step: ChannelStep): Promise<boolean> {
    if (step.kind === 'deposit') return this.#context.store.hasDeposit(step.txId);
    if (step.kind === 'closing') return row.state !== 'open';
    if (step.kind === 'closed' || step.kind === 'lost') return row.state === step.kind;
    const known = remembered.find(({ amount }) => amount === step.request.amount);
    if (known?.owner !== this.#context.owner) return false;
    return step.kind === 'charge' ? known.charge >= step.request.charge : known.charge === step.request.charge;
  }

  /** Takes back charges that are on record after all: their requests were told that the store fails, and got nothing. */
  async #undoing(remembered: readonly RememberedRequest[]): Promise<Waiting[]> {
    const found: Waiting[] = [];
    for (const { amount, owner, charge } of remembered) {
      const before = this.#doubtful.get(amount);
      if (before === undefined || owner !== this.#context.owner || charge === before) continue;
      const request = await this.#context.store.request(this.#row.channelId, amount);
      // A response that is kept can be collected by its buyer: it was paid for.
      if (request === undefined || request.response !== undefined) continue;
      const step = { kind: 'undo', request: { ...request, charge: before }, cost: charge - before } as const;
      found.push({ step, recorded: ignore, refused: ignore, attempts: 0 });
    }
    this.#doubtful.clear();
    return found;
  }

  #refuseAll(error: X402Error): void {
    const refused = [...this.#writing.splice(0), ...this.#waiting.splice(0)];
    for (const waiting of refused) this.#refuse(waiting, error);
    this.#holder.changed();
  }

  #refuse({ step, refused, attempts }: Waiting, error: X402Error): void {
    if (step.kind === 'charge' && attempts > 0) {
      const { amount, charge } = step.request;
      this.#doubtful.set(amount, charge - step.cost);
    }
    this.#holder.failed(step);
    refused(error);
  }

  #tellWritten(): void {
    for (const written of this.#whenWritten.splice(0)) written();
  }
}

function ignore(): void {}
