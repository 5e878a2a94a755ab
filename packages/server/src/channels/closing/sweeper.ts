import { isX402Error } from '@avm402/core/errors';
import { DAY_MS } from '@avm402/core/durations';
import type { Channel, ClosingReason } from '../record/channel.ts';
import type { ChannelBook } from '../record/channel-book.ts';
import type { ChannelCloser } from './channel-closer.ts';
import type { ChannelOptions, ChannelsContext } from '../channel-options.ts';
import type { ChannelStore } from '../record/channel-store.ts';
import { surestOf } from '../rounds/ask-round.ts';
import type { RoundEstimate } from '../rounds/round-estimate.ts';
import { unfinishedChannels } from './unfinished-channels.ts';

const CLOSES_AT_ONCE = 16;
const SWEEP_MS = 15_000;
/** The first look comes sooner by this factor, so that a process that keeps crashing after its start still closes. */
const FIRST_SOONER = 15;

export interface SweeperContext
  extends Pick<ChannelOptions, 'idleMs' | 'maxOwed' | 'sweepMs'>, Pick<ChannelsContext, 'now' | 'report'> {
  readonly store: Pick<ChannelStore, 'unfinished' | 'prune'>;
  readonly book: Pick<ChannelBook, 'settleDoubts'>;
  readonly closer: Pick<ChannelCloser, 'close'>;
  readonly rounds: Pick<RoundEstimate, 'isExpiring'>;
  /** Finds out how far a channel's network is. */
  readonly askRound: (channel: Channel) => Promise<void>;
}

interface DueChannel {
  readonly channel: Channel;
  readonly reason: ClosingReason;
}

/**
 * Closes channels that are due because they are near their expiry, idle, or owe too much, and tries again to close
 * those that could not be closed. The next to expire come first, so that many that fail, each for as long as its
 * attempt takes, make none of them late.
 */
export class Sweeper {
  readonly #context: SweeperContext;
  readonly #first: NodeJS.Timeout;
  readonly #timer: NodeJS.Timeout;
  #sweep: Promise<void> | undefined;

  constructor(context: SweeperContext) {
    this.#context = context;
    const { sweepMs = SWEEP_MS } = context;
    this.#first = setTimeout(() => void this.#once(() => this.#twice()), sweepMs / FIRST_SOONER);
    this.#timer = setInterval(() => void this.sweep(), sweepMs);
    this.#first.unref();
    this.#timer.unref();
  }

  /** Looks once at all channels. Failures are reported. */
  sweep(): Promise<void> {
    return this.#once(() => this.#all());
  }

  #once(look: () => Promise<void>): Promise<void> {
    this.#sweep ??= look()
      .catch((error: unknown) => this.#context.report({ type: 'failed', route: 'channels', error }))
      .finally(() => {
        this.#sweep = undefined;
      });
    return this.#sweep;
  }

  /** Closes all channels. Failures are reported. */
  async closeAll(reason: ClosingReason): Promise<void> {
    const { store, report } = this.#context;
    const all: DueChannel[] = [];
    for await (const page of unfinishedChannels(store, report))
      all.push(...page.map((channel) => ({ channel, reason })));
    await this.#closeDue(all);
  }

  /** Stops looking; resolves when nothing is under way. */
  async stop(): Promise<void> {
    clearTimeout(this.#first);
    clearInterval(this.#timer);
    await this.#sweep;
  }

  /** The first look after a start learns how far the networks are, the second closes what is due by that. */
  async #twice(): Promise<void> {
    await this.#all();
    await this.#all();
  }

  async #all(): Promise<void> {
    const { store, book, now, report, askRound } = this.#context;
    await book.settleDoubts();
    const due: DueChannel[] = [];
    let surest: readonly Channel[] = [];
    for await (const page of unfinishedChannels(store, report)) {
      for (const channel of page) {
        const reason = this.#reasonToClose(channel);
        if (reason !== undefined) due.push({ channel, reason });
      }
      surest = surestOf([...surest, ...page]);
    }
    // What is learned counts for vouchers at once, and for closing from the next sweep on.
    await Promise.all([...surest.map((channel) => askRound(channel)), this.#closeDue(due)]);
    // Last, because a store that can't forget what it has kept must keep no channel from being closed.
    await store.prune(now());
  }

  async #closeDue(due: DueChannel[]): Promise<void> {
    due.sort((one, other) => Number(one.channel.config.expiry - other.channel.config.expiry));
    for (let first = 0; first < due.length; first += CLOSES_AT_ONCE) {
      await Promise.all(due.slice(first, first + CLOSES_AT_ONCE).map((one) => this.#close(one)));
    }
  }

  async #close({ channel, reason }: DueChannel): Promise<void> {
    const { closer, report } = this.#context;
    const { channelId } = channel;
    const { payer } = channel.config;
    try {
      await closer.close(channelId, reason);
    } catch (error) {
      const code = isX402Error(error) ? error.code : 'channel_not_closed';
      report({ type: 'failed', route: 'channels', code, payer, channelId, error });
    }
  }

  #reasonToClose(channel: Channel): ClosingReason | undefined {
    const { rounds, now, idleMs = DAY_MS, maxOwed } = this.#context;
    if (channel.closing !== undefined) return channel.closing.reason;
    if (rounds.isExpiring(channel)) return 'expiry';
    if (maxOwed !== undefined && channel.charged >= maxOwed) return 'risk';
    return now() - channel.usedAt >= idleMs ? 'idle' : undefined;
  }
}
