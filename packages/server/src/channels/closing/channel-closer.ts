import { encodeChannelPayload } from '@avm402/avm/batch-settlement';
import type { ClaimKey } from '@avm402/avm/batch-settlement/server/record';
import { X402Error } from '@avm402/core/errors';
import { X402_VERSION } from '@avm402/core/payment-required';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { Attempt } from '../../facilitator/attempt.ts';
import { PaymentQuestion } from '../../facilitator/payment-question.ts';
import type { ChannelsContext } from '../channel-options.ts';
import type { Channel, ClosingReason } from '../record/channel.ts';
import type { ChannelBook } from '../record/channel-book.ts';
import type { LiveChannel } from '../record/live-channel.ts';
import type { RoundEstimate } from '../rounds/round-estimate.ts';
import { reportedRound } from '../../facilitator/reported-round.ts';

export interface CloserContext extends Pick<
  ChannelsContext,
  'pool' | 'report' | 'now' | 'settleTimeoutMs' | 'maxWaitMs'
> {
  readonly book: ChannelBook;
  readonly rounds: RoundEstimate;
  readonly claimKey: () => Promise<ClaimKey>;
  readonly idempotencyKey: (about: string) => Promise<string>;
}

/** Closes channels: claims what they owe at the facilitator, which returns the rest to the payer. */
export class ChannelCloser {
  readonly #context: CloserContext;
  readonly #closing = new Map<string, Promise<Channel>>();

  constructor(context: CloserContext) {
    this.#context = context;
  }

  /**
   * Closes a channel: takes no more vouchers, waits for what is under way, fixes what is owed, and claims it. Resolves
   * with its row: `closed`, or `lost` if the facilitator says that it is too late. Otherwise the channel stays
   * `closing`, and can be closed again.
   * @throws X402Error `invalid_batch_settlement_avm_channel_not_found`, `channel_not_closed`, `store_unavailable`
   */
  close(channelId: string, reason: ClosingReason): Promise<Channel> {
    const closing =
      this.#closing.get(channelId) ?? this.#close(channelId, reason).finally(() => this.#closing.delete(channelId));
    this.#closing.set(channelId, closing);
    return closing;
  }

  async #close(channelId: string, reason: ClosingReason): Promise<Channel> {
    const live = await this.#context.book.find(channelId);
    if (live === undefined) throw new X402Error('invalid_batch_settlement_avm_channel_not_found');
    const row = await this.#order(live, reason);
    if (row.state !== 'closing') return row;
    return this.#claim(live, row);
  }

  /**
   * Records that the channel closes, unless that is on record. What is still under way after the wait is no longer
   * charged.
   */
  async #order(live: LiveChannel, reason: ClosingReason): Promise<Channel> {
    const { maxWaitMs, now } = this.#context;
    await live.drain(maxWaitMs);
    try {
      // Doubts are settled before the amount that the channel owes is fixed.
      await live.refresh();
      if (live.row.state !== 'open') return live.row;
      return await live.record({ kind: 'closing', reason, since: now() });
    } catch (error) {
      live.reopen();
      throw error;
    }
  }

  async #claim(live: LiveChannel, row: Channel): Promise<Channel> {
    const { channelId } = row;
    const attempt = await this.#settleClaim(row);
    const end = attempt.kind === 'answer' ? endReportedBy(attempt.answer) : 'open';
    const round = attempt.kind === 'answer' ? reportedRound(attempt.answer) : undefined;
    if (round !== undefined) this.#context.rounds.observe(row.config.genesisHash, round);
    if (end === 'open') {
      const message = `channel ${channelId} is not closed yet: ${whyNot(attempt)}`;
      throw new X402Error('channel_not_closed', { message });
    }
    if (end === 'lost') return this.#lose(live, row, whyNot(attempt));
    const { transaction } = end;
    this.#context.report({ type: 'closed', route: 'channels', txId: transaction, payer: row.config.payer, channelId });
    return live.record({ kind: 'closed', transaction });
  }

  async #settleClaim(row: Channel): Promise<Attempt<SettleResponse>> {
    const { pool, claimKey, idempotencyKey, settleTimeoutMs } = this.#context;
    return pool.settle(claimQuestion(row, await claimKey()), {
      idempotencyKey: await idempotencyKey(`claim ${row.channelId} ${row.charged}`),
      timeoutMs: settleTimeoutMs,
    });
  }

  /** Reports an amount that can no longer be claimed. */
  #lose(live: LiveChannel, { channelId, charged, config }: Channel, why: string): Promise<Channel> {
    const { payer, token } = config;
    const message = `channel ${channelId} has expired, and ${charged} units of asset ${token} that it owes were not claimed: ${why}`;
    const error = new X402Error('channel_lost', { message });
    this.#context.report({ type: 'failed', route: 'channels', code: error.code, payer, channelId, error });
    return live.record({ kind: 'lost' });
  }
}

/**
 * What a facilitator's answer to a claim says about its channel; nobody else knows, and no clock. `lost`: its expiry is
 * reached, or it was refunded by the transaction that the answer names. Before the expiry, only its closer can have
 * ended it: if the channel is gone, its claim was paid, even if the facilitator has no record of that.
 */
function endReportedBy(answer: SettleResponse): 'open' | 'lost' | { readonly transaction: string } {
  const { success, errorReason, transaction } = answer;
  if (success) return { transaction };
  if (errorReason === 'invalid_batch_settlement_avm_channel_expiring') return 'lost';
  if (errorReason !== 'invalid_batch_settlement_avm_channel_closed') return 'open';
  return transaction === '' ? { transaction } : 'lost';
}

function whyNot(attempt: Attempt<SettleResponse>): string {
  if (attempt.kind !== 'answer') return attempt.error.message;
  const { errorMessage, errorReason = 'it was refused' } = attempt.answer;
  return errorMessage ?? errorReason;
}

function claimQuestion({ channelId, config, requirements, charged, authorized, signature }: Channel, key: ClaimKey) {
  const voucher = signature && { channelId, maxClaimableAmount: authorized, signature };
  const payload = encodeChannelPayload({
    type: 'claim',
    channelConfig: config,
    amount: charged,
    ...(charged > 0n && voucher && { voucher }),
    authorization: key.authorize({ channelId, amount: charged }),
  });
  return new PaymentQuestion({ x402Version: X402_VERSION, accepted: requirements, payload }, requirements);
}
