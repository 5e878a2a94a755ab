import { randomBytes } from 'node:crypto';
import { type ClaimKey, claimKeyOf } from '@avm402/avm/batch-settlement/server/record';
import { loadedOnce } from '@avm402/core/loaded-once';
import { storing } from '../stores/storing.ts';
import type { Channel } from './record/channel.ts';
import { ChannelBook } from './record/channel-book.ts';
import { ChannelCloser } from './closing/channel-closer.ts';
import type { ChannelOptions, ChannelsContext } from './channel-options.ts';
import { askRound } from './rounds/ask-round.ts';
import { FirstVouchers } from './rounds/first-vouchers.ts';
import type { ChannelStore } from './record/channel-store.ts';
import { CheckedConfigs } from './serving/channel-payment.ts';
import { Deposits } from './deposits/deposits.ts';
import { KeptResponses } from './serving/kept-responses.ts';
import { Openings } from './deposits/openings.ts';
import { RoundEstimate } from './rounds/round-estimate.ts';
import { Sweeper } from './closing/sweeper.ts';
import { unfinishedChannels } from './closing/unfinished-channels.ts';

/** What a seller's channels owe, and a way to close them. */
export interface SellerChannels {
  /**
   * Channels that are open or closing, in the order of their ids. `charged` is what a channel owes.
   * @throws X402Error `store_unavailable`
   */
  list(): AsyncIterable<Channel>;
  /**
   * Closes a channel: takes no more vouchers, waits for the requests under way, and claims what it owes. Resolves when
   * the claim is confirmed.
   * @throws X402Error `invalid_batch_settlement_avm_channel_not_found`, `store_unavailable`; `channel_not_closed`,
   * after which it is tried again
   */
  close(channelId: string): Promise<Channel>;
  /**
   * Stops looking for channels to close. Call it before the process ends. With `close`, it closes all of them first.
   * Resolves when nothing is under way. What could not be closed is reported, and closed after the next start.
   */
  stop(options?: { readonly close?: boolean }): Promise<void>;
}

/** Everything that a seller needs to take payments by channels. */
export class Channels implements SellerChannels {
  readonly store: ChannelStore;
  readonly book: ChannelBook;
  readonly rounds: RoundEstimate;
  readonly firstVouchers: FirstVouchers;
  readonly closer: ChannelCloser;
  readonly configs = new CheckedConfigs();
  readonly deposits: Deposits;
  readonly openings: Openings;
  readonly kept: KeptResponses;
  readonly sweeper: Sweeper;
  readonly #report: ChannelsContext['report'];
  readonly #seed: Uint8Array | undefined;
  /** The key whose seed is in the store. */
  readonly #keyOfStore = loadedOnce(async () => claimKeyOf(await storing(() => this.store.claimKey(randomBytes(32)))));

  /** @param options as `checkChannelOptions` has them */
  constructor(options: ChannelOptions, context: ChannelsContext) {
    const { store, claimKey, closingRounds, openingsPerPeer } = options;
    const { now, monotonicNow, report } = context;
    this.store = store;
    this.#seed = claimKey;
    this.#report = report;
    this.book = new ChannelBook({ store, now, randomBytes });
    this.rounds = new RoundEstimate(context, closingRounds);
    this.firstVouchers = new FirstVouchers({ ...context, rounds: this.rounds });
    this.kept = new KeptResponses({ now, monotonicNow });
    const { book, rounds } = this;
    const idempotencyKey = (about: string): Promise<string> => this.idempotencyKey(about);
    this.deposits = new Deposits({ book, rounds, idempotencyKey });
    this.openings = new Openings({ book, monotonicNow, openingsPerPeer });
    this.closer = new ChannelCloser({
      ...context,
      book,
      rounds,
      claimKey: () => this.claimKey(),
      idempotencyKey,
    });
    this.sweeper = new Sweeper({
      ...options,
      book,
      rounds,
      closer: this.closer,
      askRound: (channel) => askRound(channel, { ...context, rounds }),
      now,
      report,
    });
  }

  /**
   * The key that authorizes claims.
   * @throws X402Error `store_unavailable`
   */
  async claimKey(): Promise<ClaimKey> {
    return this.#seed === undefined ? this.#keyOfStore() : claimKeyOf(this.#seed);
  }

  /**
   * The key by which the facilitator knows a settlement for this record. Another record has another key, even if their
   * sellers share a claim key: what is counted in one record must not be reported as settled to the other.
   * @throws X402Error `store_unavailable`
   */
  async idempotencyKey(about: string): Promise<string> {
    return (await this.#keyOfStore()).idempotencyKey(about);
  }

  async *list(): AsyncIterable<Channel> {
    for await (const page of unfinishedChannels(this.store, this.#report)) yield* page;
  }

  close(channelId: string): Promise<Channel> {
    return this.closer.close(channelId, 'seller');
  }

  async stop({ close = false }: { readonly close?: boolean } = {}): Promise<void> {
    await this.sweeper.stop();
    if (close) await this.sweeper.closeAll('shutdown');
  }
}
