import { X402Error } from '@avm402/core/errors';
import { storing } from '../../stores/storing.ts';
import type { Channel } from './channel.ts';
import {
  admitted,
  type AdmissionRefusal,
  type ChannelRecord,
  type Command,
  next,
  recordOf,
  type RecordEvent,
  released,
} from './channel-record.ts';
import type { ChannelStep, HighestVoucher } from './channel-step.ts';
import type { ChangeOutcome, ChannelChange, ChannelStore, RememberedRequest } from './channel-store.ts';
import type { Committing } from './group-commit.ts';

export interface KeptRecordContext {
  readonly store: ChannelStore;
  /** This process, as rows of requests name it. */
  readonly owner: string;
  /** Asks for a write. */
  readonly submit: (record: Committing) => void;
}

interface Caller<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

type Load = Extract<Command, { do: 'load' }>;

/** Carries out what a channel's record asks for: submits its changes, reads it, and tells its callers. */
export class KeptRecord implements Committing {
  readonly #context: KeptRecordContext;
  readonly #callers = new WeakMap<ChannelStep, Caller<Channel>>();
  #readers: Caller<void>[] = [];
  #now: ChannelRecord;

  constructor(row: Channel, remembered: readonly RememberedRequest[], context: KeptRecordContext) {
    this.#context = context;
    this.#now = recordOf(row, remembered, context.owner);
  }

  /** The record as it is now. */
  get now(): ChannelRecord {
    return this.#now;
  }

  get isSuspect(): boolean {
    return this.#now.trouble !== undefined;
  }

  admit(voucher: HighestVoucher & { readonly maximum: bigint }): AdmissionRefusal | undefined {
    const record = admitted(this.#now, voucher);
    if (typeof record === 'string') return record;
    this.#now = record;
    return undefined;
  }

  release(amount: bigint): void {
    this.#now = released(this.#now, amount);
  }

  /**
   * Resolves with the row once the step is on it. Rejects with an X402Error if the step does not fit, or with
   * `store_unavailable`.
   */
  add(step: ChannelStep): Promise<Channel> {
    return new Promise((resolve, reject) => {
      this.#take({ type: 'asked', step });
      this.#callers.set(step, { resolve, reject });
    });
  }

  /**
   * Reads the record again.
   * @throws X402Error `store_unavailable`
   */
  refresh(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      this.#take({ type: 'looked' });
    });
  }

  change(): ChannelChange | undefined {
    this.#take({ type: 'due' });
    return this.#now.change;
  }

  written(outcome: ChangeOutcome): void {
    this.#take({ type: outcome === 'stored' ? 'written' : 'outdated' });
  }

  failed(error: unknown): void {
    this.#take({ type: 'failed', error });
  }

  #take(event: RecordEvent): void {
    const { record, commands } = next(this.#now, event);
    this.#now = record;
    for (const command of commands) this.#do(command);
  }

  #do(command: Command): void {
    if (command.do === 'submit') return this.#context.submit(this);
    if (command.do === 'load') return void this.#load(command);
    const caller = this.#callers.get(command.step);
    if (command.do === 'tell') caller?.resolve(command.row);
    else caller?.reject(new X402Error(command.code, { cause: command.cause }));
  }

  async #load(command: Load): Promise<void> {
    try {
      const found = await storing(() => this.#read(command));
      this.#take(found);
      for (const { resolve } of this.#readers.splice(0)) resolve();
    } catch (error) {
      this.#take({ type: 'loadFailed', error });
      for (const { reject } of this.#readers.splice(0)) reject(error);
    }
  }

  /** Reads the row first: see `LoadedRecord`. */
  async #read({ deposits }: Load): Promise<Extract<RecordEvent, { type: 'loaded' }>> {
    const { store } = this.#context;
    const { channelId } = this.#now.row;
    const row = await store.get(channelId);
    if (row === undefined) throw new Error(`the record of ${channelId} is gone`);
    const [remembered, ...counted] = await Promise.all([
      store.remembered(channelId),
      ...deposits.map(async (txId) => ((await store.hasDeposit(txId)) ? [txId] : [])),
    ]);
    return { type: 'loaded', row, remembered, deposits: new Set(counted.flat()) };
  }
}
