import { createSigner } from '@avm402/algorand/ed25519';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import type { OnPaymentResponseHook, PaymentResponseContext } from '@x402/core/client';
import type { PaymentPayloadContext, SchemeClientHooks, SchemeNetworkClient } from '@x402/core/types';
import { findDefaultUsdc } from '../../network/usdc.ts';
import { ASSET_ACCOUNT_MINIMUM } from '../../signing/pooled-group.ts';
import type { VoucherEvent } from './advance-voucher.ts';
import type { ChannelConfig } from '../channel-config.ts';
import { openSpending } from './channel-spending.ts';
import type { ChannelTerms } from '../channel-terms.ts';
import { type ChannelPayload, encodeChannelPayload, parseChannelPayload } from '../payload.ts';
import type { Voucher } from '../voucher.ts';
import { boundedDeposit, boundedTerms } from './channel-bounds.ts';
import { ChannelPayer, type ChannelPayerOptions } from './channel-payer.ts';
import { LiveChannel, type PendingDeposit } from './live-channel.ts';
import { channelKey } from './signing-channel.ts';
import { chargeIn, reportedState } from './reported-state.ts';

export interface BatchSettlementAvmClientOptions extends ChannelPayerOptions {
  /** How many times the price to deposit, within `maxDeposit`. Default 100. */
  readonly depositMultiple?: bigint;
  /**
   * The most that one deposit may be, atomic units. Default: the stock client's cap on one payment; without such a cap,
   * `depositMultiple` times the price, whatever the seller asks for.
   */
  readonly maxDeposit?: bigint;
}

/** A channel to pay a request with: by a voucher, or, if there is none, by a deposit that this request makes. */
interface Turn {
  readonly channel: LiveChannel;
  readonly voucher: Voucher | undefined;
}

type Payload = Promise<{ x402Version: number; payload: Record<string, unknown> }>;

const DEFAULT_MULTIPLE = 100n;
const PAUSE_MS = 250;

/**
 * The client side of the `batch-settlement` scheme on Algorand. Registers in a stock `x402Client`:
 * `client.register('algorand:*', new BatchSettlementAvmClient({ account, algod }))`. It knows its channels as long as
 * it lives; a paying fetch of `@avm402/client` also remembers, closes and recovers them.
 */
export class BatchSettlementAvmClient implements SchemeNetworkClient {
  readonly scheme = 'batch-settlement';
  /** The payer's address. */
  readonly address: string;
  readonly findDefaultAsset = findDefaultUsdc;
  /** Updates the charges from each answer. */
  readonly schemeHooks: SchemeClientHooks;
  readonly #options: BatchSettlementAvmClientOptions;
  readonly #payer: ChannelPayer;
  /** Channels by seller, closer and asset. */
  readonly #channels = new Map<string, Promise<LiveChannel>>();
  /** All channels that were ever opened, by id. */
  readonly #live = new Map<string, LiveChannel>();

  constructor(options: BatchSettlementAvmClientOptions) {
    this.#options = options;
    this.#payer = new ChannelPayer(options);
    this.address = this.#payer.address;
    const onPaymentResponse: OnPaymentResponseHook = async (context) =>
      this.#learn(context) ? { recovered: true } : undefined;
    this.schemeHooks = { onPaymentResponse };
  }

  /**
   * The configurations of the channels that this client has opened. They are needed to get back what the channels hold.
   */
  channels(): readonly ChannelConfig[] {
    return [...this.#live.values()].map(({ config }) => config);
  }

  /**
   * The payload that asks the seller to close one of its channels. Send it in `PAYMENT-SIGNATURE` to the resource for
   * which the channel was opened. Afterwards the channel pays nothing more.
   * @throws X402Error `channel_unavailable` for a channel of somebody else
   */
  async closePayload(id: string): Promise<Record<string, unknown>> {
    const channel = this.#live.get(id);
    if (!channel) throw new X402Error('channel_unavailable', { message: `${id} is not a channel of this client` });
    for (const [key, opening] of this.#channels) if ((await opening) === channel) this.#channels.delete(key);
    return encodeChannelPayload({
      type: 'refund',
      channelConfig: channel.config,
      authorization: channel.signClose(),
    });
  }

  /**
   * Signs a voucher, or the deposit that opens a channel or adds to it. It sends nothing.
   * @throws X402Error `unsupported_scheme`, `unsupported_network`, `network_mismatch`, `invalid_payment_requirements`,
   * `spend_limit_exceeded` (a deposit above the limit, a channel for more than two weeks), `signer_failed`
   */
  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
    context: PaymentPayloadContext = {},
  ): Payload {
    if (requirements.scheme !== this.scheme) throw new X402Error('unsupported_scheme');
    const terms = boundedTerms(requirements);
    const amount = this.#depositFor(requirements, terms, context);
    const { channel, voucher } = await this.#turn(requirements, channelKey(requirements, terms));
    if (voucher) {
      const payload = encodeChannelPayload({ type: 'voucher', channelConfig: channel.config, voucher });
      return { x402Version, payload };
    }
    try {
      const { pending } = channel;
      const payload = pending
        ? channel.presentAgain(pending, BigInt(requirements.amount))
        : await this.#deposit(channel, requirements, amount);
      return { x402Version, payload };
    } catch (error) {
      channel.isDepositing = false;
      throw error;
    } finally {
      channel.isSigning = false;
    }
  }

  /**
   * Waits while another request's deposit is being signed, and then while it has no answer, at most for the time that
   * the offer gives.
   */
  async #turn(requirements: PaymentRequirements, key: string): Promise<Turn> {
    const { now = Date.now } = this.#options;
    for (const deadline = now() + requirements.maxTimeoutSeconds * 1000; ;) {
      const channel = await this.#channelFor(requirements, key);
      const voucher = channel.signVoucher(BigInt(requirements.amount))?.voucher;
      if (voucher) return { channel, voucher };
      if (!channel.isSigning && (!channel.isDepositing || now() >= deadline)) {
        channel.isDepositing = true;
        channel.isSigning = channel.pending === undefined;
        return { channel, voucher };
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** The channel of an offer, after asking the buyer's node about its pending deposit, or whether it was closed. */
  async #channelFor(requirements: PaymentRequirements, key: string): Promise<LiveChannel> {
    const opening = this.#channels.get(key) ?? this.#newChannel(requirements);
    this.#channels.set(key, opening);
    opening.catch(() => this.#channels.delete(key));
    const channel = await opening;
    if (channel.pending === undefined && !channel.isRefused) return channel;
    const isOver = await this.#isOver(channel, requirements.network);
    // Of several requests that wait, one finds that the channel is over; all pay through the one that it opens.
    const isCurrent = this.#channels.get(key) === opening;
    if (isCurrent && !isOver) return channel;
    if (isCurrent) this.#channels.delete(key);
    return this.#channelFor(requirements, key);
  }

  /** Whether a channel never opened, or was closed. */
  async #isOver(channel: LiveChannel, network: Network): Promise<boolean> {
    const { pending } = channel;
    if (pending && !(await this.#isLost(channel, pending, network))) return false;
    if (channel.spending.deposit === 0n) return true;
    return channel.isRefused && this.#isClosed(channel, network);
  }

  /** Whether a channel was closed. Its seller's word alone, a refusal, makes no other deposit. */
  async #isClosed(channel: LiveChannel, network: Network): Promise<boolean> {
    channel.isRefused = false;
    const algod = this.#options.algod(network);
    if (!algod) return false;
    const holding = await algod.accountAsset(channel.id, channel.config.token);
    const { authAddress, minBalance, round } = await algod.account(channel.id);
    // A node that is behind may not have seen the deposit yet.
    if (round <= channel.confirmedBy) return false;
    return authAddress !== undefined || (!holding && minBalance < ASSET_ACCOUNT_MINIMUM);
  }

  async #newChannel(requirements: PaymentRequirements): Promise<LiveChannel> {
    const { config, seed } = await this.#payer.newChannel(requirements);
    const channel = new LiveChannel(config, createSigner(seed), openSpending(0n));
    this.#live.set(channel.id, channel);
    return channel;
  }

  /**
   * Whether a deposit can't be confirmed any more. Only the buyer's own node is trusted with this, and with whether it
   * was confirmed.
   */
  async #isLost(channel: LiveChannel, pending: PendingDeposit, network: Network): Promise<boolean> {
    const algod = this.#options.algod(network);
    if (!algod) return false;
    const { id, config, spending } = channel;
    // The round is read first: a deposit that is missing after its last valid round never comes.
    const { lastRound } = await algod.status();
    const holding = await algod.accountAsset(id, config.token);
    if (channel.pending !== pending) return false;
    if ((holding?.amount ?? 0n) >= spending.deposit + pending.amount) {
      channel.confirm(pending);
      // The request may have been served, whatever the answer was.
      if (!channel.isDepositing) channel.learn(pending.signed, { event: 'unknown' });
      return false;
    }
    if (lastRound <= pending.lastValid) return false;
    channel.lose(pending);
    return true;
  }

  async #deposit(
    channel: LiveChannel,
    requirements: PaymentRequirements,
    amount: bigint,
  ): Promise<Record<string, unknown>> {
    const { config, deposits } = channel;
    const kind = channel.spending.deposit === 0n ? 'open' : 'top-up';
    channel.deposits++;
    const made = await this.#payer.deposit(config, requirements, { kind, amount, earlier: deposits });
    const signed = channel.signWithin(BigInt(requirements.amount), amount);
    const paymentGroup = made.paymentGroup.map((bytes) => ({ bytes }));
    const deposit = { amount, paymentGroup };
    const payload = encodeChannelPayload({ type: 'deposit', channelConfig: config, voucher: signed.voucher, deposit });
    channel.pending = { payload, amount, signed, lastValid: made.lastValid };
    return payload;
  }

  #depositFor(
    requirements: PaymentRequirements,
    terms: ChannelTerms,
    { maxAmountPerPayment }: PaymentPayloadContext,
  ): bigint {
    const { depositMultiple: multiple = DEFAULT_MULTIPLE, maxDeposit } = this.#options;
    const wanted = multiple * parseAtomicAmount(requirements.amount);
    const cap = maxDeposit ?? (maxAmountPerPayment === undefined ? wanted : BigInt(maxAmountPerPayment));
    return boundedDeposit(requirements, terms, { multiple, within: (amount) => (amount < cap ? amount : cap) });
  }

  /** Updates the channel from an answer; true if the request should be signed again. */
  #learn(context: PaymentResponseContext): boolean {
    const { paymentPayload, requirements, settleResponse, paymentRequired } = context;
    if (requirements.scheme !== this.scheme) return false;
    const payload = parseChannelPayload(paymentPayload.payload);
    const voucher = voucherIn(payload);
    const channel = voucher && this.#live.get(voucher.channelId);
    if (!channel) return false;
    if (payload.type === 'deposit') channel.isDepositing = false;
    const request = { voucher, maximum: BigInt(requirements.amount) };
    if (settleResponse?.success === true) {
      if (payload.type === 'deposit' && channel.pending) channel.confirm(channel.pending);
      channel.learn(request, eventOf(context));
      // A stream may cost the rest.
      channel.learn(request, { event: 'unknown' });
      return false;
    }
    // A request sent with a deposit that may still be settled may still be charged.
    const isWithDeposit = channel.pending?.signed.voucher.maxClaimableAmount === voucher.maxClaimableAmount;
    if (!isWithDeposit) channel.learn(request, eventOf(context));
    channel.isRefused = paymentRequired !== undefined;
    return isCorrected(channel, paymentRequired);
  }
}

function voucherIn(payload: ChannelPayload): Voucher | undefined {
  return payload.type === 'refund' ? undefined : payload.voucher;
}

/**
 * The outcome of a request according to its answer. Only a 402 that reports nothing under way means that the request
 * cost nothing.
 */
function eventOf({ settleResponse, paymentRequired }: PaymentResponseContext): VoucherEvent {
  // The stock client does not show whether the answer is a stream, whose receipt gives the charge so far.
  if (settleResponse?.success === true) return { event: 'charged', cost: chargeIn(settleResponse), goesOn: true };
  const isPending = settleResponse?.errorReason === 'settlement_pending';
  return { event: !isPending && (settleResponse ?? paymentRequired) !== undefined ? 'refused' : 'unknown' };
}

/** Adopts the state that a 402 reports, if it is believed. */
function isCorrected(channel: LiveChannel, paymentRequired: PaymentResponseContext['paymentRequired']): boolean {
  const reported = paymentRequired && reportedState(paymentRequired, channel.id);
  return reported !== undefined && channel.adopt(reported);
}
