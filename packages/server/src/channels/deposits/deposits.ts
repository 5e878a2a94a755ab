import { createHash } from 'node:crypto';
import type { CheckedDeposit } from '@avm402/avm/batch-settlement/server/record';
import type { SettleResponse } from '@avm402/core/settle-response';
import { settle, type SettleOutcome } from '../../facilitator/settle.ts';
import type { Channel } from '../record/channel.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ChannelPayment } from '../serving/channel-payment.ts';
import type { ChannelBook } from '../record/channel-book.ts';
import type { LiveChannel } from '../record/live-channel.ts';
import type { RoundEstimate } from '../rounds/round-estimate.ts';
import { reportedRound } from '../../facilitator/reported-round.ts';

/** What became of a deposit: it is counted in its channel, or it is not settled. */
export type DepositOutcome =
  | { readonly kind: 'counted'; readonly live: LiveChannel }
  | Exclude<SettleOutcome, { kind: 'settled' }>;

export interface DepositsContext {
  readonly book: Pick<ChannelBook, 'deposit'>;
  readonly rounds: Pick<RoundEstimate, 'observe'>;
  /** The key by which the facilitator knows a settlement for this record. */
  readonly idempotencyKey: (about: string) => Promise<string>;
}

/**
 * Requests that bring deposits. Those with the same bytes share one settlement. Other bytes with the same TxID have a
 * settlement of their own, because a copy that somebody else has signed is refused.
 */
export class Deposits {
  readonly #context: DepositsContext;
  readonly #underWay = new Map<string, Promise<DepositOutcome>>();

  constructor(context: DepositsContext) {
    this.#context = context;
  }

  /**
   * Has a deposit settled, and counts it. The key is made from the TxID, so that the same header gets the same
   * settlement even after a crash.
   * @throws X402Error `store_unavailable`, `invalid_batch_settlement_avm_channel_closed`
   */
  settle(exchange: Exchange, payment: ChannelPayment, deposit: CheckedDeposit): Promise<DepositOutcome> {
    const key = keyOf(payment, deposit);
    const underWay =
      this.#underWay.get(key) ??
      this.#settleAndCount(exchange, payment, deposit).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, underWay);
    return underWay;
  }

  async #settleAndCount(exchange: Exchange, payment: ChannelPayment, deposit: CheckedDeposit): Promise<DepositOutcome> {
    const { book, rounds, idempotencyKey: keyFor } = this.#context;
    const { offers, seller } = exchange;
    const { pool, options } = seller;
    const { payload, requirements, payer } = payment;
    const { txId } = deposit;
    const idempotencyKey = await keyFor(txId);
    const claimed = { transaction: txId, payer, requirements, idempotencyKey, runs: 0, mayHaveBeenSent: false };
    const outcome = await settle(offers.questionAbout(exchange, payload, requirements), claimed, {
      pool,
      trace: exchange.trace,
      now: options.monotonicNow,
      timeoutMs: options.settleTimeoutMs,
    });
    if (outcome.kind !== 'settled') return outcome;
    exchange.report({ type: 'settled', txId, payer, channelId: payment.channelId });
    const round = confirmedRound(outcome.receipt, deposit);
    if (round !== undefined) rounds.observe(payment.channel.channelConfig.genesisHash, round);
    // If nobody reports its block, it is taken for the latest possible one: the payer chooses the first.
    const opened = openedBy(payment, deposit, { round: round ?? deposit.lastValid, at: options.now() });
    return { kind: 'counted', live: await book.deposit(opened, txId) };
  }
}

function keyOf({ requirements }: ChannelPayment, { members }: CheckedDeposit): string {
  const hash = createHash('sha256');
  // Canonical members state their own length, so nothing needs to separate them.
  for (const { bytes } of members) hash.update(bytes);
  return hash.update(JSON.stringify(requirements)).digest('hex');
}

/** The round of a deposit's block; undefined if the facilitator reports none, or one that is impossible. */
function confirmedRound(receipt: SettleResponse, { firstValid, lastValid }: CheckedDeposit): bigint | undefined {
  const round = reportedRound(receipt);
  return round !== undefined && round >= firstValid && round <= lastValid ? round : undefined;
}

/** The channel that a deposit opens. */
function openedBy(
  { channelId, requirements, channel: { channelConfig: config } }: ChannelPayment,
  { amount }: CheckedDeposit,
  { round, at }: { readonly round: bigint; readonly at: number },
): Channel {
  return {
    channelId,
    version: 1,
    state: 'open',
    config,
    requirements,
    balance: amount,
    authorized: 0n,
    charged: 0n,
    floor: 0n,
    openedAt: at,
    openedRound: round,
    usedAt: at,
  };
}
