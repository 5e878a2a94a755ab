import type { CheckedDeposit } from '@avm402/avm/batch-settlement';
import { questionAbout } from '../presented-payment.ts';
import { settle, type SettleOutcome } from '../settle.ts';
import type { Channel } from './channel.ts';
import type { ChannelExchange } from './channel-exchange.ts';
import type { ChannelPayment } from './channel-payment.ts';
import type { Channels } from './channels.ts';
import type { LiveChannel } from './live-channel.ts';

/** What became of a deposit: it is counted in its channel, or not settled. */
export type DepositOutcome =
  | { readonly kind: 'counted'; readonly live: LiveChannel }
  | Exclude<SettleOutcome, { kind: 'settled' }>;

/** Requests that bring deposits: one settlement for each TxID. */
export class Deposits {
  readonly #underWay = new Map<string, Promise<DepositOutcome>>();

  /**
   * Has a deposit settled, and counts it. The key is made of the TxID: after a crash anywhere the same header gets the same
   * settlement.
   * @throws X402Error `store_unavailable`, `invalid_batch_settlement_avm_channel_closed`
   */
  settle(exchange: ChannelExchange, payment: ChannelPayment, deposit: CheckedDeposit): Promise<DepositOutcome> {
    const { txId } = deposit;
    const underWay =
      this.#underWay.get(txId) ?? settleAndCount(exchange, payment, deposit).finally(() => this.#underWay.delete(txId));
    this.#underWay.set(txId, underWay);
    return underWay;
  }
}

async function settleAndCount(
  exchange: ChannelExchange,
  payment: ChannelPayment,
  deposit: CheckedDeposit,
): Promise<DepositOutcome> {
  const { channels } = exchange;
  const { pool, options } = exchange.seller;
  const { requirements, payer } = payment;
  const { txId } = deposit;
  const key = await channels.claimKey();
  const idempotencyKey = key.idempotencyKey(txId);
  const claimed = { txId, payer, requirements, idempotencyKey, runs: 0, mayHaveBeenSent: false };
  const outcome = await settle(questionAbout(exchange, payment, requirements), claimed, {
    pool,
    trace: exchange.trace,
    now: options.monotonicNow,
    timeoutMs: options.settleTimeoutMs,
  });
  if (outcome.kind !== 'settled') return outcome;
  exchange.report({ type: 'settled', txId, payer, channelId: payment.channelId });
  return { kind: 'counted', live: await count(channels, payment, deposit, options.now()) };
}

function count(
  { book, rounds }: Channels,
  payment: ChannelPayment,
  { txId, amount, firstValid }: CheckedDeposit,
  now: number,
): Promise<LiveChannel> {
  const { channelId, requirements } = payment;
  const { channelConfig: config } = payment.channel;
  rounds.observe(config.genesisHash, firstValid);
  const opened: Channel = {
    channelId,
    version: 1,
    state: 'open',
    config,
    requirements,
    balance: amount,
    authorized: 0n,
    charged: 0n,
    floor: 0n,
    openedAt: now,
    openedRound: firstValid,
    usedAt: now,
  };
  return book.deposit(opened, txId);
}
