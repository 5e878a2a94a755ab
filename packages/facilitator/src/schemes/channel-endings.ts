import { createHash } from 'node:crypto';
import {
  type AboutChannel,
  type ChannelEnd,
  checkClaimAuthorization,
  claimEnd,
  type ClaimRequest,
  refundEnd,
  CHANNEL_MINIMUM_BALANCE,
} from '@avm402/avm/batch-settlement/facilitator';
import { X402Error } from '@avm402/core/errors';
import { isRefusal } from '@avm402/avm/sponsorship';
import { isEnding } from '../settlement/channel-move.ts';
import { excludesNext, isFinal, type Settlement } from '../settlement/settlement.ts';
import { newRow, type PreparedSettlement } from '../settlement/settlement-order.ts';
import type { SettlementStore } from '../settlement/settlement-store.ts';
import type { Settler, SettlerOptions } from '../settlement/settler.ts';

export interface ChannelEndingsOptions {
  readonly settler: Settler;
  readonly store: SettlementStore;
  /** The budgets that pay the ALGO of an account that is handed over. */
  readonly budgetsOf: SettlerOptions['budgetsOf'];
}

/** A close that was refused because the payer can't receive is followed by one that hands the account over. */
const MAX_ATTEMPTS = 2;

/**
 * Ends channels. A channel ends once: while an ending is under way, or after one is confirmed, everyone who asks is
 * told its outcome. After an ending that was refused or expired, the next one begins.
 */
export class ChannelEndings {
  readonly #options: ChannelEndingsOptions;

  constructor(options: ChannelEndingsOptions) {
    this.#options = options;
  }

  /**
   * Closes a channel for its seller.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  async claim(request: ClaimRequest): Promise<Settlement> {
    // Only the seller is told the outcome of an earlier claim as well.
    const signer = await checkClaimAuthorization(request);
    const settlement = await this.#end(request, signer, () => claimEnd(request));
    // An earlier refund is not a success for the seller: it paid the payer.
    if (settlement.channel?.kind !== 'refund') return settlement;
    throw new X402Error('invalid_batch_settlement_avm_channel_closed', { details: { transaction: settlement.txId } });
  }

  /**
   * Returns an expired channel's deposit and ALGO.
   * @throws X402Error with a wire reason for a refusal, with a 5xx `httpStatus` for trouble of our own
   */
  async refund(about: AboutChannel): Promise<Settlement> {
    return this.#end(about, about.network.sponsor.account.address, () => refundEnd(about));
  }

  async #end(about: AboutChannel, signer: string, prepare: () => Promise<ChannelEnd>): Promise<Settlement> {
    const { settler } = this.#options;
    const inTime = settler.inTime();
    for (let attempt = 1; ; attempt++) {
      const begun = (await this.#present(about)) ?? (await this.#begin(about, signer, prepare));
      const settlement = await settler.outcome(begun.txId, inTime);
      if (settlement.state !== 'rejected' || attempt === MAX_ATTEMPTS) return settlement;
    }
  }

  /** The channel's ending that is under way or confirmed. */
  async #present({ channelId, network }: AboutChannel): Promise<Settlement | undefined> {
    const rows = await this.#options.store.channel(channelId);
    return rows.find((row) => row.channel && isEnding(row.channel) && excludesNext(row, network.lastRound()));
  }

  async #begin(about: AboutChannel, signer: string, prepare: () => Promise<ChannelEnd>): Promise<Settlement> {
    try {
      return await this.#options.settler.begin(await this.#prepared(about, signer, await prepare()));
    } catch (error) {
      // Another caller may have ended it meanwhile: then that row answers, not the chain's refusal.
      const present = isRefusal(error) ? ((await this.#present(about)) ?? (await this.#open(about, error))) : undefined;
      if (present === undefined) throw error;
      return present;
    }
  }

  /** An ending whose outcome is open, if it is too late for another one: nothing is lost before that is known. */
  async #open({ channelId }: AboutChannel, error: X402Error): Promise<Settlement | undefined> {
    if (error.code !== 'invalid_batch_settlement_avm_channel_expiring') return undefined;
    const rows = await this.#options.store.channel(channelId);
    return rows.find((row) => row.channel && isEnding(row.channel) && !isFinal(row));
  }

  async #prepared(
    { network, config, channelId }: AboutChannel,
    signer: string,
    { kind, group, ...end }: ChannelEnd,
  ): Promise<PreparedSettlement> {
    const [opening] = await this.#options.store.channel(channelId);
    const { payer, receiver: payTo, token } = config;
    const isHandedOver = kind === 'hand-over';
    const parties = { terms: opening?.terms ?? ('anyone' as const), payTo, payer, advance: !isHandedOver };
    const facts = {
      ...end,
      network: network.network,
      payer,
      signer,
      payTo,
      asset: String(token),
      requirementsDigest: createHash('sha256').update(channelId).digest('hex'),
      channel: { kind, id: channelId },
    };
    const row = newRow(facts, group, parties);
    // This returns the ALGO that was lent and pays the seller, so no budget holds it back.
    if (!isHandedOver) return { settlement: row, budgets: [] };
    const settlement = { ...row, sponsoredFee: group.fee + CHANNEL_MINIMUM_BALANCE };
    const budgets = this.#options.budgetsOf(network.network, parties);
    // A payer's own budgets count this but don't limit it: a payer could use them up to keep its seller from closing.
    return { settlement, budgets: budgets.filter(({ scope }) => scope.payer === undefined) };
  }
}
