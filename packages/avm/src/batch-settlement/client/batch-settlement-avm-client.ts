import { encodeBase64 } from '@avm402/algorand/base64';
import { createSigner, type Signer } from '@avm402/algorand/ed25519';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import type { OnPaymentResponseHook, PaymentResponseContext } from '@x402/core/client';
import type { PaymentPayloadContext, SchemeClientHooks, SchemeNetworkClient } from '@x402/core/types';
import { findDefaultUsdc } from '../../network/usdc.ts';
import { advanceVoucher, type VoucherEvent } from '../advance-voucher.ts';
import type { ChannelConfig } from '../channel-config.ts';
import { channelId } from '../channel-program.ts';
import { signClose } from '../close-authorization.ts';
import { type ChannelSpending, openSpending, signNext } from '../channel-spending.ts';
import { parseChannelTerms } from '../channel-terms.ts';
import { type ChannelPayload, encodeChannelPayload, parseChannelPayload } from '../payload.ts';
import { encodeVoucher, signVoucher, type Voucher } from '../voucher.ts';
import { boundedDeposit, boundedTerms } from './channel-bounds.ts';
import { ChannelPayer, type ChannelPayerOptions } from './channel-payer.ts';
import { adoptTold, chargeIn, toldState } from './told-state.ts';

export interface BatchSettlementAvmClientOptions extends ChannelPayerOptions {
  /** Deposits as many times the price, within `maxDeposit`. Default 100. */
  readonly depositMultiple?: bigint;
  /**
   * Most that one deposit may be, atomic units. Default: the stock client's cap on one payment; without one, as many times the
   * price as is deposited, whatever the seller asks for.
   */
  readonly maxDeposit?: bigint;
}

/** A deposit that left and has not come to the chain yet. */
interface PendingDeposit {
  readonly payload: Record<string, unknown>;
  /** Atomic units. */
  readonly amount: bigint;
  /** Of the request that it came with: what that may cost, and the amount of its voucher. */
  readonly price: bigint;
  readonly id: bigint;
  readonly lastValid: bigint;
}

/** A channel as long as this object lives. */
interface LiveChannel {
  readonly config: ChannelConfig;
  readonly signer: Signer;
  /** Its `deposit` is what has come. */
  spending: ChannelSpending;
  /** Deposits that were signed. */
  deposits: number;
  /** Until it comes, or can't any more, no other deposit is signed: whoever holds the first may still send it. */
  pending: PendingDeposit | undefined;
  /** Whether a request with a deposit has no answer yet: those that need it wait. */
  isDepositing: boolean;
}

/** A channel to pay a request with: by a voucher; or, without one, by a deposit, which is this request's turn. */
interface Turn {
  readonly channel: LiveChannel;
  readonly voucher: Voucher | undefined;
}

type Payload = Promise<{ x402Version: number; payload: Record<string, unknown> }>;

const DEFAULT_MULTIPLE = 100n;
const PAUSE_MS = 250;

/**
 * The `batch-settlement` scheme on Algorand, client side. Registers in a stock `x402Client`:
 * `client.register('algorand:*', new BatchSettlementAvmClient({ account, algod }))`. It knows its channels as long as it
 * lives; a paying fetch of `@avm402/client` also remembers, closes and recovers them.
 */
export class BatchSettlementAvmClient implements SchemeNetworkClient {
  readonly scheme = 'batch-settlement';
  /** The paying address. */
  readonly address: string;
  readonly findDefaultAsset = findDefaultUsdc;
  /** Learns from each answer what was charged. */
  readonly schemeHooks: SchemeClientHooks;
  readonly #options: BatchSettlementAvmClientOptions;
  readonly #payer: ChannelPayer;
  /** By what they are for. */
  readonly #channels = new Map<string, Promise<LiveChannel>>();
  /** By their ids: all that were ever opened. */
  readonly #live = new Map<string, LiveChannel>();

  constructor(options: BatchSettlementAvmClientOptions) {
    this.#options = options;
    this.#payer = new ChannelPayer(options);
    this.address = this.#payer.address;
    const onPaymentResponse: OnPaymentResponseHook = async (context) =>
      this.#learn(context) ? { recovered: true } : undefined;
    this.schemeHooks = { onPaymentResponse };
  }

  /** The configurations of the channels that it has opened: what is needed to get back what they hold. */
  channels(): readonly ChannelConfig[] {
    return [...this.#live.values()].map(({ config }) => config);
  }

  /**
   * The payload that asks the seller to close one of its channels: sent to the resource that the channel was opened for, in
   * `PAYMENT-SIGNATURE`. From now on nothing is paid with the channel.
   * @throws X402Error `channel_unavailable` for a channel of somebody else
   */
  async closePayload(id: string): Promise<Record<string, unknown>> {
    const channel = this.#live.get(id);
    if (!channel) throw new X402Error('channel_unavailable', { message: `${id} is no channel of this client` });
    for (const [key, opening] of this.#channels) if ((await opening) === channel) this.#channels.delete(key);
    const { config: channelConfig, signer } = channel;
    return encodeChannelPayload({ type: 'refund', channelConfig, authorization: signClose(signer, id) });
  }

  /**
   * Signs a voucher, or the deposit that opens a channel or adds to it. Nothing is sent.
   * @throws X402Error `unsupported_scheme`, `unsupported_network`, `network_mismatch`, `invalid_payment_requirements`,
   * `spend_limit_exceeded` (a deposit above the limit, a channel for more than two weeks), `signer_failed`
   */
  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
    context: PaymentPayloadContext = {},
  ): Payload {
    if (requirements.scheme !== this.scheme) throw new X402Error('unsupported_scheme');
    const amount = this.#depositFor(requirements, context);
    const { channel, voucher } = await this.#turn(requirements);
    if (voucher) {
      const payload = encodeChannelPayload({ type: 'voucher', channelConfig: channel.config, voucher });
      return { x402Version, payload };
    }
    try {
      const { pending } = channel;
      const payload = pending
        ? presentedAgain(channel, pending, BigInt(requirements.amount))
        : await this.#deposit(channel, requirements, amount);
      return { x402Version, payload };
    } catch (error) {
      channel.isDepositing = false;
      throw error;
    }
  }

  /** Requests wait while another one's deposit has no answer, as long as the offer says. */
  async #turn(requirements: PaymentRequirements): Promise<Turn> {
    const { now = Date.now } = this.#options;
    for (const deadline = now() + requirements.maxTimeoutSeconds * 1000; ;) {
      const channel = await this.#channelFor(requirements);
      const voucher = signed(channel, BigInt(requirements.amount));
      if (voucher) return { channel, voucher };
      if (!channel.isDepositing || now() >= deadline) {
        channel.isDepositing = true;
        return { channel, voucher };
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** The channel of an offer, with what the buyer's node tells of its pending deposit. */
  async #channelFor(requirements: PaymentRequirements): Promise<LiveChannel> {
    const key = keyOf(requirements);
    const opening = this.#channels.get(key) ?? this.#newChannel(requirements);
    this.#channels.set(key, opening);
    opening.catch(() => this.#channels.delete(key));
    const channel = await opening;
    if (channel.pending === undefined) return channel;
    const isLost = await this.#isLost(channel, channel.pending, requirements.network);
    if (!isLost || channel.spending.deposit > 0n) return channel;
    if (this.#channels.get(key) === opening) this.#channels.delete(key);
    return this.#channelFor(requirements);
  }

  async #newChannel(requirements: PaymentRequirements): Promise<LiveChannel> {
    const { config, seed } = await this.#payer.newChannel(requirements);
    const signer = createSigner(seed);
    const channel = {
      config,
      signer,
      spending: openSpending(0n),
      deposits: 0,
      pending: undefined,
      isDepositing: false,
    };
    this.#live.set(channelId(config), channel);
    return channel;
  }

  /** Whether a deposit can't come any more. Nobody but the buyer's node says so, or that it has come. */
  async #isLost(channel: LiveChannel, pending: PendingDeposit, network: Network): Promise<boolean> {
    const algod = this.#options.algod(network);
    if (!algod) return false;
    const { config, spending } = channel;
    // First the round: what is not there after the last one never comes.
    const { lastRound } = await algod.status();
    const holding = await algod.accountAsset(channelId(config), config.token);
    if (channel.pending !== pending) return false;
    if ((holding?.amount ?? 0n) >= spending.deposit + pending.amount) {
      deposited(channel, pending);
      // Its request may have been served, whatever was answered.
      if (!channel.isDepositing) learn(channel, { ...pending, maximum: pending.price }, { event: 'unknown' });
      return false;
    }
    if (lastRound <= pending.lastValid) return false;
    learn(channel, { ...pending, maximum: pending.price }, { event: 'refused' });
    channel.pending = undefined;
    channel.isDepositing = false;
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
    const price = BigInt(requirements.amount);
    const voucher = signedWithin(channel, price, amount);
    const paymentGroup = made.paymentGroup.map((bytes) => ({ bytes }));
    const deposit = { amount, paymentGroup };
    const payload = encodeChannelPayload({ type: 'deposit', channelConfig: config, voucher, deposit });
    channel.pending = { payload, amount, price, id: voucher.maxClaimableAmount, lastValid: made.lastValid };
    return payload;
  }

  #depositFor(requirements: PaymentRequirements, { maxAmountPerPayment }: PaymentPayloadContext): bigint {
    const { depositMultiple: multiple = DEFAULT_MULTIPLE, maxDeposit } = this.#options;
    const terms = boundedTerms(requirements);
    const wanted = multiple * parseAtomicAmount(requirements.amount);
    const cap = maxDeposit ?? (maxAmountPerPayment === undefined ? wanted : BigInt(maxAmountPerPayment));
    return boundedDeposit(requirements, terms, { multiple, within: (amount) => (amount < cap ? amount : cap) });
  }

  /** Learns from an answer; true if the request is to be signed again. */
  #learn(context: PaymentResponseContext): boolean {
    const { paymentPayload, requirements, settleResponse, paymentRequired } = context;
    if (requirements.scheme !== this.scheme) return false;
    const payload = parseChannelPayload(paymentPayload.payload);
    const voucher = voucherIn(payload);
    const channel = voucher && this.#live.get(voucher.channelId);
    if (!channel) return false;
    if (payload.type === 'deposit') channel.isDepositing = false;
    const request = { id: voucher.maxClaimableAmount, maximum: BigInt(requirements.amount) };
    if (settleResponse?.success === true) {
      if (payload.type === 'deposit' && channel.pending) deposited(channel, channel.pending);
      learn(channel, request, eventOf(context));
      // A stream may cost the rest.
      learn(channel, request, { event: 'unknown' });
      return false;
    }
    // What came with a deposit that may still be settled may still be charged.
    if (channel.pending?.id !== request.id) learn(channel, request, eventOf(context));
    return paymentRequired !== undefined && isCorrected(channel, paymentRequired);
  }
}

function voucherIn(payload: ChannelPayload): Voucher | undefined {
  return payload.type === 'refund' ? undefined : payload.voucher;
}

/** What an answer says of its request. Only a 402 that tells of nothing under way says that it cost nothing. */
function eventOf({ settleResponse, paymentRequired }: PaymentResponseContext): VoucherEvent {
  // The stock client does not show whether the answer is a stream, whose receipt tells the charge so far.
  if (settleResponse?.success === true) return { event: 'charged', cost: chargeIn(settleResponse), goesOn: true };
  const isPending = settleResponse?.errorReason === 'settlement_pending';
  return { event: !isPending && (settleResponse ?? paymentRequired) !== undefined ? 'refused' : 'unknown' };
}

function learn(
  channel: LiveChannel,
  request: { readonly id: bigint; readonly maximum: bigint },
  event: VoucherEvent,
): void {
  channel.spending = advanceVoucher(channel.spending, request, event).spending;
}

function deposited(channel: LiveChannel, { amount }: PendingDeposit): void {
  channel.pending = undefined;
  channel.spending = { ...channel.spending, deposit: channel.spending.deposit + amount };
}

/** The same deposit, for this request: a second one would be money beside the first. */
function presentedAgain(channel: LiveChannel, pending: PendingDeposit, price: bigint): Record<string, unknown> {
  if (price === pending.price) return pending.payload;
  return { ...pending.payload, voucher: encodeVoucher(signedWithin(channel, price, pending.amount)) };
}

/** A voucher over what is there and what is being added. */
function signedWithin(channel: LiveChannel, price: bigint, added: bigint): Voucher {
  const { deposit } = channel.spending;
  channel.spending = { ...channel.spending, deposit: deposit + added };
  const voucher = signed(channel, price);
  channel.spending = { ...channel.spending, deposit };
  if (voucher) return voucher;
  throw new X402Error('spend_limit_exceeded', { message: 'the deposit does not cover the price' });
}

function signed(channel: LiveChannel, maximum: bigint): Voucher | undefined {
  const next = signNext(channel.spending, maximum);
  if (!next) return undefined;
  channel.spending = next.next;
  return signVoucher(channel.signer, channelId(channel.config), next.amount);
}

/** Adopts what a 402 tells, if that is believed. */
function isCorrected(channel: LiveChannel, paymentRequired: Parameters<typeof toldState>[0]): boolean {
  const told = toldState(paymentRequired, channelId(channel.config));
  const adopted = told && adoptTold(channel.spending, channel.config, told);
  channel.spending = adopted ?? channel.spending;
  return adopted !== undefined;
}

/** One channel for each seller, closer and asset. */
function keyOf({ network, asset, payTo, extra }: PaymentRequirements): string {
  const { receiverAuthorizer, claimAuthorizer, funder, genesisHash } = parseChannelTerms(extra);
  return [network, asset, payTo, receiverAuthorizer, claimAuthorizer, funder, encodeBase64(genesisHash)].join(' ');
}
