import { X402Error } from '@avm402/core/errors';
import { storing } from '../../stores/storing.ts';
import type { Channel } from './channel.ts';
import type { ChannelStore } from './channel-store.ts';
import { GroupCommit } from './group-commit.ts';
import { LiveChannel, type LiveChannelContext } from './live-channel.ts';

const MAX_IDLE = 20_000;

export interface ChannelBookOptions {
  readonly store: ChannelStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Channels that are kept in memory while nothing of theirs is under way; those used last stay. Default 20,000. */
  readonly maxIdle?: number;
}

/** The channels that this process works with. They don't wait for each other. */
export class ChannelBook {
  readonly #store: ChannelStore;
  readonly #maxIdle: number;
  readonly #context: LiveChannelContext;
  /** In the order of use: the channel used last is the last entry. */
  readonly #live = new Map<string, LiveChannel>();
  readonly #loading = new Map<string, Promise<LiveChannel | undefined>>();

  constructor({ store, now, randomBytes, maxIdle = MAX_IDLE }: ChannelBookOptions) {
    const commit = new GroupCommit(store);
    const owner = Buffer.from(randomBytes(8)).toString('hex');
    this.#store = store;
    this.#maxIdle = maxIdle;
    this.#context = { store, owner, now, submit: (record) => commit.submit(record) };
  }

  /**
   * A channel; undefined if none with this id was ever opened.
   * @throws X402Error `store_unavailable`
   */
  async find(channelId: string): Promise<LiveChannel | undefined> {
    const live = this.#live.get(channelId);
    if (live === undefined) return this.#load(channelId);
    this.#live.delete(channelId);
    this.#live.set(channelId, live);
    await live.fresh();
    return live;
  }

  /**
   * The channel of a settled deposit, with the deposit counted: a new one as `opened` describes it, or the one that is
   * already on record.
   * @throws X402Error `store_unavailable`, `invalid_batch_settlement_avm_channel_closed`
   */
  async deposit(opened: Channel, txId: string): Promise<LiveChannel> {
    const { channelId, balance: amount } = opened;
    if ((await this.find(channelId)) === undefined) {
      const [outcome] = await storing(() => this.#store.write([{ next: opened, deposits: [txId] }]));
      if (outcome === 'stored') return this.#found(channelId);
    }
    const live = await this.#found(channelId);
    await live.deposit(txId, amount);
    return live;
  }

  /** Reads channels again whose state on record is unknown. One that can't be read stays in doubt. */
  async settleDoubts(): Promise<void> {
    const doubtful = [...this.#live.values()].filter((live) => live.isDoubtful);
    for (const live of doubtful) await live.refresh().catch(() => {});
  }

  async #found(channelId: string): Promise<LiveChannel> {
    const live = await this.find(channelId);
    if (live === undefined)
      throw new X402Error('store_unavailable', { message: `${channelId} was stored, and is gone` });
    return live;
  }

  async #load(channelId: string): Promise<LiveChannel | undefined> {
    const loading =
      this.#loading.get(channelId) ?? this.#read(channelId).finally(() => this.#loading.delete(channelId));
    this.#loading.set(channelId, loading);
    return loading;
  }

  async #read(channelId: string): Promise<LiveChannel | undefined> {
    const row = await storing(() => this.#store.get(channelId));
    if (row === undefined) return undefined;
    const remembered = await storing(() => this.#store.remembered(channelId));
    const live = new LiveChannel(row, remembered, this.#context);
    this.#live.set(channelId, live);
    this.#makeRoom();
    return live;
  }

  #makeRoom(): void {
    if (this.#live.size <= this.#maxIdle) return;
    for (const [channelId, live] of this.#live) {
      if (!live.isIdle) continue;
      this.#live.delete(channelId);
      return;
    }
  }
}
