import { type AboutChannel, type ChannelNetwork, hasEnded } from '@avm402/avm/batch-settlement/facilitator';
import type { ChannelEndings } from './channel-endings.ts';
import type { Log } from '../log/log.ts';
import type { Network } from '@avm402/core/network';
import { backoffMs, Pause } from '../pause.ts';
import type { Settlement } from '../settlement/settlement.ts';
import type { SettlementStore } from '../settlement/settlement-store.ts';

export interface ChannelSweepOptions {
  readonly endings: Pick<ChannelEndings, 'refund'>;
  readonly store: SettlementStore;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const PAUSE_MS = 10_000;
const BATCH = 20;
const RETRY = { firstMs: 60_000, mostMs: 3_600_000 };

/** How long to wait before a channel that could not be refunded is tried again, and how often it was tried. */
interface Retry {
  readonly network: Network;
  readonly pause: Pause;
  readonly failures: number;
}

/** Recovers the ALGO that was lent to expired channels, and returns the payers' deposits with it. */
export class ChannelSweep {
  readonly #options: ChannelSweepOptions;
  readonly #retries = new Map<string, Retry>();
  readonly #pause = new Pause();
  #isRunning = false;

  constructor(options: ChannelSweepOptions) {
    this.#options = options;
  }

  /** Refunds some expired channels of each network, one after the other, unless it did so a moment ago. */
  async run(networks: Iterable<ChannelNetwork>): Promise<void> {
    if (this.#isRunning || !this.#pause.isOver(this.#options.now())) return;
    this.#isRunning = true;
    try {
      for (const network of networks) await this.#sweep(network);
    } finally {
      this.#isRunning = false;
      this.#pause.begin(this.#options.now(), PAUSE_MS);
    }
  }

  async #sweep(network: ChannelNetwork): Promise<void> {
    const limit = BATCH + this.#retries.size;
    const expired = await this.#options.store.expiredChannels(network.network, { round: network.lastRound(), limit });
    this.#forgetAllBut(expired, network);
    for (const { channel } of expired) {
      if (channel?.kind !== 'open' || this.#retries.get(channel.id)?.pause.isOver(this.#options.now()) === false)
        continue;
      await this.#fetchBack({ network, config: channel.config, channelId: channel.id });
    }
  }

  /** Forgets what needs no refund any more: another replica may have made it. */
  #forgetAllBut(expired: readonly Settlement[], { network }: ChannelNetwork): void {
    const ids = new Set(expired.map(({ channel }) => channel?.id));
    for (const [id, retry] of this.#retries) if (retry.network === network && !ids.has(id)) this.#retries.delete(id);
  }

  async #fetchBack(about: AboutChannel): Promise<void> {
    const { endings, store, log } = this.#options;
    const { channelId } = about;
    try {
      if (await hasEnded(about)) await store.endChannel(channelId);
      else this.#assertRefunded(await endings.refund(about));
      this.#retries.delete(channelId);
    } catch (error) {
      this.#retryLater(about);
      log.warn({ channel: channelId, err: error }, 'an expired channel could not be refunded; it is tried again later');
    }
  }

  #assertRefunded({ state }: Settlement): void {
    if (state !== 'confirmed') throw new Error(`its refund is ${state}`);
  }

  #retryLater({ channelId, network: { network } }: AboutChannel): void {
    const failures = (this.#retries.get(channelId)?.failures ?? 0) + 1;
    const pause = new Pause();
    pause.begin(this.#options.now(), backoffMs(failures, RETRY));
    this.#retries.set(channelId, { network, pause, failures });
  }
}
