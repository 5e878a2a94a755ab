import { channelId, type ChannelConfig } from '@avm402/avm/batch-settlement';
import { type ChannelOnChain, channelOnChain, type ChannelPayer } from '@avm402/avm/batch-settlement/client';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { SendOptions } from '../http/send-until-answered.ts';
import { startTimeLimit } from '../http/waiting.ts';
import { requireAlgod } from '../own-node/network-access.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import type { ChannelBook } from './channel-book.ts';
import { askToClose } from './close-channel.ts';
import { findChannels } from './find-channels.ts';
import { learnDeposit, type LearnDepositOptions } from './learn-deposit.ts';
import { OwnGroup } from './own-group.ts';
import { isPaidOut, recordPaidOut } from './record-paid-out.ts';

/** A channel as its buyer sees it. Amounts are atomic units. */
export interface ChannelView {
  readonly id: string;
  readonly network: Network;
  readonly config: ChannelConfig;
  readonly state: 'open' | 'closing' | 'closed';
  /** Where it was opened; absent for a channel that was found on chain. */
  readonly url?: string;
  readonly deposited: bigint;
  /** The charges according to the receipts. */
  readonly charged: bigint;
  /** The most that the seller can claim. */
  readonly claimable: bigint;
}

/** The state of the money in a channel. */
export type Recovery =
  /** It is paid out: the part that the seller did not claim came back. */
  | { readonly state: 'closed' }
  /** The seller may claim from it until the round `expiry`. */
  | { readonly state: 'open'; readonly balance: bigint; readonly expiry: bigint; readonly round: bigint };

/** Operations on a payer's channels, besides paying with them. */
export interface PayerChannels {
  /** The channels on record that are not closed, the oldest first. */
  list(): Promise<readonly ChannelView[]>;
  /**
   * Asks the seller to close a channel, and waits until your algod has seen it closed.
   * @throws X402Error `channel_unavailable`: use {@link recover} after the expiry; `algod_not_configured`
   */
  close(id: string): Promise<Recovery>;
  /**
   * Takes back the money that can be taken back: after the expiry by a transaction of your own, and from an account
   * that a close has handed over.
   * @throws X402Error `channel_unavailable`, `signer_failed`, `algod_not_configured`, `network_mismatch`; what algod
   * throws
   */
  recover(id: string): Promise<Recovery>;
  /**
   * Searches the blocks of your algod, from round `from` to the latest, for this payer's channels, and puts them on
   * record. Use it if the record is lost. Resolves to the channels that still hold something.
   */
  find(network: string, from: bigint): Promise<readonly ChannelView[]>;
}

export interface PayerChannelsOptions extends SendOptions, LearnDepositOptions {
  readonly book: ChannelBook;
  readonly payer: ChannelPayer;
}

const PAUSE_MS = 250;

export function payerChannels(options: PayerChannelsOptions): PayerChannels {
  const { book, fetch, recoverMs } = options;
  return {
    list: async () => {
      await book.load();
      return book
        .all()
        .filter(({ record }) => record.state !== 'closed')
        .map(viewOf);
    },
    close: async (id) => {
      const channel = await channelWith(id, book);
      const { opened } = channel.record;
      if (!opened)
        throw new X402Error('channel_unavailable', { message: `it is not on record where ${id} was opened` });
      const own = new OwnGroup(requireAlgod(options.algodOf, channel.record.network));
      await askToClose(channel, opened, { fetch, timeoutMs: recoverMs });
      return untilOver(channel, own, options);
    },
    recover: async (id) => recover(await channelWith(id, book), options),
    find: (network, from) => find(network, from, options),
  };
}

async function channelWith(id: string, book: ChannelBook): Promise<BuyerChannel> {
  await book.load();
  const channel = book.all().find((candidate) => candidate.id === id);
  if (channel) return channel;
  throw new X402Error('channel_unavailable', { message: `${id} is not on record` });
}

async function recover(channel: BuyerChannel, options: PayerChannelsOptions): Promise<Recovery> {
  const { payer } = options;
  const { config } = channel;
  const algod = requireAlgod(options.algodOf, channel.record.network);
  await decideDeposit(channel, options);
  const onChain = await channelOnChain(config, algod);
  if (isPaidOut(channel, onChain)) return paidOut(channel, options);
  if (onChain.state === 'empty' || (onChain.state === 'open' && onChain.round <= config.expiry)) {
    return stillOpen(channel, onChain);
  }
  await channel.beginClosing();
  const own = new OwnGroup(algod);
  if (onChain.state === 'open') await own.send(() => payer.refund(config));
  return untilOver(channel, own, options);
}

/**
 * Waits until the buyer's node has seen the channel paid out, and no deposit can reach it any more. Takes back what a
 * close has handed over.
 * @throws algod's refusal, if nobody else pays the channel out
 */
async function untilOver(channel: BuyerChannel, own: OwnGroup, options: PayerChannelsOptions): Promise<Recovery> {
  const { now, sleep, recoverMs, payer } = options;
  const { config } = channel;
  const algod = requireAlgod(options.algodOf, channel.record.network);
  const timeLeft = startTimeLimit(recoverMs, now);
  for (;;) {
    await decideDeposit(channel, options);
    const onChain = await channelOnChain(config, algod);
    if (isPaidOut(channel, onChain)) return paidOut(channel, options);
    const isLast = timeLeft() <= 0;
    own.checkAt(onChain.round, isLast);
    if (isLast) return stillOpen(channel, onChain);
    if (onChain.state === 'handed-over') await own.send(() => payer.takeOver(config));
    await sleep(PAUSE_MS);
  }
}

/** Asks what became of a deposit that may still reach the channel. */
async function decideDeposit(channel: BuyerChannel, options: PayerChannelsOptions): Promise<void> {
  const { pending } = channel;
  if (!pending) return;
  await options.spending.load();
  await learnDeposit(channel, pending, options);
}

async function paidOut(channel: BuyerChannel, { spending }: PayerChannelsOptions): Promise<Recovery> {
  await spending.load();
  await recordPaidOut(channel, spending);
  return { state: 'closed' };
}

function stillOpen({ config }: BuyerChannel, onChain: ChannelOnChain): Recovery {
  return { state: 'open', balance: onChain.balance, expiry: config.expiry, round: onChain.round };
}

async function find(network: string, from: bigint, options: PayerChannelsOptions): Promise<readonly ChannelView[]> {
  const { book, payer } = options;
  const algod = requireAlgod(options.algodOf, network);
  await book.load();
  const { lastRound } = await algod.status();
  const views: ChannelView[] = [];
  for (const record of await findChannels(algod, payer.address, { from, to: lastRound })) {
    const { state } = await channelOnChain(record.config, algod);
    if (state !== 'empty') views.push(viewOf(await book.add(record)));
  }
  return views;
}

function viewOf({ record, spending, mostClaimable }: BuyerChannel): ChannelView {
  const { config, network, state, opened } = record;
  return {
    id: channelId(config),
    network,
    config,
    state,
    ...(opened && { url: opened.url }),
    deposited: spending.deposit,
    charged: spending.charged,
    claimable: mostClaimable,
  };
}
