import { createSigner, type Signer } from '@avm402/algorand/ed25519';
import { X402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import type { OnPaymentResponseHook, PaymentResponseContext } from '@x402/core/client';
import type { PaymentPayloadContext, SchemeClientHooks, SchemeNetworkClient } from '@x402/core/types';
import { findDefaultUsdc } from '../../network/usdc.ts';
import type { VoucherEvent } from './advance-voucher.ts';
import { type ChannelConfig, channelId } from '../channel-config.ts';
import type { ChannelTerms } from '../channel-terms.ts';
import { signClose } from '../close-authorization.ts';
import { encodeChannelPayload, parseChannelPayload } from '../payload.ts';
import { signVoucher } from '../voucher.ts';
import { boundedDeposit, boundedTerms } from './channel-bounds.ts';
import { channelOnChain } from './channel-on-chain.ts';
import { ChannelPayer, type ChannelPayerOptions } from './channel-payer.ts';
import type { DepositOptions } from './create-deposit.ts';
import {
  depositFailed,
  learnAnswer,
  learnOnChain,
  type LiveChannel,
  newLiveChannel,
  payWith,
  pendingDeposit,
  takeTurn,
  type PayTurn,
} from './live-channel.ts';
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

/** A channel, and the key of its vouchers. */
interface OwnChannel {
  readonly id: string;
  readonly signer: Signer;
  live: LiveChannel;
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
  readonly #channels = new Map<string, Promise<OwnChannel>>();
  /** All channels that were ever opened, by id. */
  readonly #known = new Map<string, OwnChannel>();

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
    return [...this.#known.values()].map(({ live }) => live.config);
  }

  /**
   * The payload that asks the seller to close one of its channels. Send it in `PAYMENT-SIGNATURE` to the resource for
   * which the channel was opened. Afterwards the channel pays nothing more.
   * @throws X402Error `channel_unavailable` for a channel of somebody else
   */
  async closePayload(id: string): Promise<Record<string, unknown>> {
    const channel = this.#known.get(id);
    if (!channel) throw new X402Error('channel_unavailable', { message: `${id} is not a channel of this client` });
    channel.live = { ...channel.live, isOver: true };
    const authorization = signClose(channel.signer, id);
    return encodeChannelPayload({ type: 'refund', channelConfig: channel.live.config, authorization });
  }

  /**
   * Signs a voucher, or the deposit that opens a channel or adds to it. It sends nothing.
   * @throws X402Error `unsupported_scheme`, `unsupported_network`, `network_mismatch`, `invalid_payment_requirements`,
   * `invalid_pay_to`, `spend_limit_exceeded` (a deposit above the limit, a channel for more than two weeks),
   * `signer_failed`
   */
  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
    context: PaymentPayloadContext = {},
  ): Payload {
    if (requirements.scheme !== this.scheme) throw new X402Error('unsupported_scheme');
    const terms = boundedTerms(requirements);
    const amount = this.#depositFor(requirements, terms, context);
    const { channel, turn } = await this.#turn(requirements, channelKey(requirements, terms));
    const paid = turn.does === 'deposit' ? await this.#deposit(channel, requirements, { ...turn, amount }) : turn;
    return { x402Version, payload: payloadOf(channel, paid) };
  }

  /** Waits while another request's deposit is being signed, or has no answer. */
  async #turn(requirements: PaymentRequirements, key: string) {
    const { now = Date.now } = this.#options;
    for (const deadline = now() + requirements.maxTimeoutSeconds * 1000; ;) {
      const channel = await this.#channelFor(requirements, key);
      const { channel: live, turn } = takeTurn(channel.live, BigInt(requirements.amount), now() >= deadline);
      channel.live = live;
      if (turn.does !== 'wait') return { channel, turn };
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** The channel of an offer, after asking the buyer's node about a pending deposit, or whether it was closed. */
  async #channelFor(requirements: PaymentRequirements, key: string): Promise<OwnChannel> {
    const opening = this.#channels.get(key) ?? this.#newChannel(requirements);
    this.#channels.set(key, opening);
    opening.catch(() => this.#channels.delete(key));
    const channel = await opening;
    await this.#look(channel, requirements.network);
    if (!channel.live.isOver) return channel;
    // Of several requests that wait, one finds that the channel is over; all pay through the one that it opens.
    if (this.#channels.get(key) === opening) this.#channels.delete(key);
    return this.#channelFor(requirements, key);
  }

  async #newChannel(requirements: PaymentRequirements): Promise<OwnChannel> {
    const { config, seed } = await this.#payer.newChannel(requirements);
    const channel = { id: channelId(config), signer: createSigner(seed), live: newLiveChannel(config) };
    this.#known.set(channel.id, channel);
    return channel;
  }

  /** Only the buyer's own node is trusted with what became of a deposit, and with whether a channel was closed. */
  async #look(channel: OwnChannel, network: Network): Promise<void> {
    if (!channel.live.isRefused && pendingDeposit(channel.live) === undefined) return;
    const algod = this.#options.algod(network);
    const shown = algod && (await channelOnChain(channel.live.config, algod));
    if (shown) channel.live = learnOnChain(channel.live, shown);
  }

  async #deposit(channel: OwnChannel, requirements: PaymentRequirements, options: DepositOptions): Promise<PayTurn> {
    try {
      const made = await this.#payer.deposit(channel.live.config, requirements, options);
      const { channel: live, turn } = payWith(
        channel.live,
        { ...made, amount: options.amount },
        BigInt(requirements.amount),
      );
      channel.live = live;
      return turn;
    } catch (error) {
      channel.live = depositFailed(channel.live);
      throw error;
    }
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
    const { paymentPayload, requirements, paymentRequired } = context;
    if (requirements.scheme !== this.scheme) return false;
    const payload = parseChannelPayload(paymentPayload.payload);
    const voucher = payload.type === 'refund' ? undefined : payload.voucher;
    const channel = voucher && this.#known.get(voucher.channelId);
    if (!channel) return false;
    const { channel: live, isCorrected } = learnAnswer(channel.live, {
      request: { id: voucher.maxClaimableAmount, maximum: BigInt(requirements.amount) },
      outcome: outcomeOf(context),
      txId: payload.type === 'deposit' ? payload.deposit.paymentGroup.at(-1)?.txId : undefined,
      isRefusal: paymentRequired !== undefined,
      reported: paymentRequired && reportedState(paymentRequired, channel.id),
    });
    channel.live = live;
    return isCorrected;
  }
}

function payloadOf(
  { id, signer, live: { config: channelConfig } }: OwnChannel,
  { amount, deposit }: PayTurn,
): Record<string, unknown> {
  const voucher = signVoucher(signer, id, amount);
  if (deposit === undefined) return encodeChannelPayload({ type: 'voucher', channelConfig, voucher });
  const paymentGroup = deposit.paymentGroup.map((bytes) => ({ bytes }));
  const sent = { amount: deposit.amount, paymentGroup };
  return encodeChannelPayload({ type: 'deposit', channelConfig, voucher, deposit: sent });
}

/**
 * The outcome of a request according to its answer. Only a 402 that reports nothing under way means that the request
 * cost nothing.
 */
function outcomeOf({ settleResponse, paymentRequired }: PaymentResponseContext): VoucherEvent {
  // The stock client does not show whether the answer is a stream, whose receipt gives the charge so far.
  if (settleResponse?.success === true) return { event: 'charged', cost: chargeIn(settleResponse), goesOn: true };
  const isPending = settleResponse?.errorReason === 'settlement_pending';
  return { event: !isPending && (settleResponse ?? paymentRequired) !== undefined ? 'refused' : 'unknown' };
}
