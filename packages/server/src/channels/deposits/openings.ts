import { X402Error } from '@avm402/core/errors';
import { isLoopbackAddress } from '@avm402/core/loopback';
import { peerOf } from '@avm402/core/peer';
import type { RequestFacts } from '../../request/request-facts.ts';
import type { ChannelBook } from '../record/channel-book.ts';
import type { DepositOutcome } from './deposits.ts';

/** How long an opening counts, in milliseconds. */
const COUNTED_MS = 3_600_000;
/** One address alone can't use up what a facilitator advances to a seller in a day (about 700 openings and closes). */
const PER_PEER = 20;

interface Opening {
  readonly peer: string;
  readonly channelId: string;
  readonly at: number;
}

export interface OpeningsOptions {
  readonly book: ChannelBook;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonicNow: () => number;
  /** Default 20. */
  readonly openingsPerPeer?: number | undefined;
}

/**
 * Limits the channels that one peer opens within an hour without paying for anything by them: each costs the sponsor
 * its fees. New payers cost nothing to make, new addresses do.
 */
export class Openings {
  readonly #book: ChannelBook;
  readonly #monotonicNow: () => number;
  readonly #perPeer: number;
  /** Oldest first. */
  readonly #counted = new Set<Opening>();
  readonly #ofPeer = new Map<string, Set<Opening>>();

  constructor({ book, monotonicNow, openingsPerPeer = PER_PEER }: OpeningsOptions) {
    this.#book = book;
    this.#monotonicNow = monotonicNow;
    this.#perPeer = openingsPerPeer;
  }

  /**
   * Settles a deposit that opens a channel. The opening counts from the start of settlement, and no longer if it fails.
   * @throws X402Error `too_many_unused_channels`, `store_unavailable`, and whatever `settle` throws
   */
  async settle(
    { address }: Pick<RequestFacts, 'address'>,
    channelId: string,
    settle: () => Promise<DepositOutcome>,
  ): Promise<DepositOutcome> {
    // Many clients may share an unknown address, or this machine's: an untrusted proxy forwards for all.
    if (address === '' || isLoopbackAddress(address)) return settle();
    const opening = this.#begin({ peer: peerOf(address), channelId, at: this.#monotonicNow() });
    let isOpen = false;
    try {
      await this.#checkRoom(opening);
      const outcome = await settle();
      isOpen = outcome.kind === 'counted';
      return outcome;
    } finally {
      if (!isOpen) this.#end(opening);
    }
  }

  async #checkRoom({ peer }: Opening): Promise<void> {
    const own = this.#ofPeer.get(peer) ?? new Set();
    if (own.size <= this.#perPeer) return;
    for (const opening of own) if (await this.#isUsed(opening)) this.#end(opening);
    if (own.size <= this.#perPeer) return;
    throw new X402Error('too_many_unused_channels', {
      message: `${peer} has opened ${this.#perPeer} channels within an hour that have paid for nothing`,
    });
  }

  async #isUsed({ channelId }: Opening): Promise<boolean> {
    const live = await this.#book.find(channelId);
    return live !== undefined && live.row.charged > 0n;
  }

  #begin(opening: Opening): Opening {
    for (const earlier of this.#counted) {
      if (earlier.at + COUNTED_MS > opening.at) break;
      this.#end(earlier);
    }
    this.#counted.add(opening);
    this.#ofPeer.set(opening.peer, (this.#ofPeer.get(opening.peer) ?? new Set()).add(opening));
    return opening;
  }

  #end(opening: Opening): void {
    this.#counted.delete(opening);
    const own = this.#ofPeer.get(opening.peer);
    own?.delete(opening);
    if (own?.size === 0) this.#ofPeer.delete(opening.peer);
  }
}
