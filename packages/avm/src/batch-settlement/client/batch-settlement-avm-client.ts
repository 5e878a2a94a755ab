import { encodeBase64 } from '@avm402/algorand/base64';
import { createSigner, type Signer } from '@avm402/algorand/ed25519';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { OnPaymentResponseHook, PaymentResponseContext } from '@x402/core/client';
import type { PaymentPayloadContext, SchemeClientHooks, SchemeNetworkClient } from '@x402/core/types';
import { findDefaultUsdc } from '../../exact/usdc.ts';
import type { ChannelConfig } from '../channel-config.ts';
import { channelId } from '../channel-program.ts';
import { signClose } from '../close-authorization.ts';
import {
  adopt,
  type ChannelSpending,
  endInDoubt,
  learnCharge,
  learnPart,
  openSpending,
  signNext,
} from '../channel-spending.ts';
import { parseChannelTerms } from '../channel-terms.ts';
import { type ChannelPayload, encodeChannelPayload, parseChannelPayload } from '../payload.ts';
import { isVoucherSigned, signVoucher, type Voucher } from '../voucher.ts';
import { ChannelPayer, type ChannelPayerOptions } from './channel-payer.ts';
import { chargeIn, toldState } from './told-state.ts';

export interface BatchSettlementAvmClientOptions extends ChannelPayerOptions {
  /** Deposits as many times the price, within `maxDeposit`. Default 100. */
  readonly depositMultiple?: bigint;
  /** Most that one deposit may be, atomic units. Default: the stock client's cap on one payment, if it has one. */
  readonly maxDeposit?: bigint;
}

/** A channel as long as this object lives. */
interface LiveChannel {
  readonly config: ChannelConfig;
  readonly signer: Signer;
  spending: ChannelSpending;
  deposits: number;
  /** Whether its first deposit is known to have arrived. */
  isOpen: boolean;
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
   * `spend_limit_exceeded` (a deposit above the limit), `signer_failed`
   */
  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
    context: PaymentPayloadContext = {},
  ): Payload {
    if (requirements.scheme !== this.scheme) throw new X402Error('unsupported_scheme');
    const amount = this.#depositFor(requirements, context);
    const key = keyOf(requirements);
    const known = this.#channels.get(key);
    const opening = known ?? this.#newChannel(requirements);
    this.#channels.set(key, opening);
    opening.catch(() => this.#channels.delete(key));
    const channel = await opening;
    if (known) await this.#untilOpen(channel, requirements);
    const voucher = signed(channel, BigInt(requirements.amount));
    if (!voucher) return { x402Version, payload: await this.#deposit(channel, requirements, amount) };
    const payload = encodeChannelPayload({ type: 'voucher', channelConfig: channel.config, voucher });
    return { x402Version, payload };
  }

  async #newChannel(requirements: PaymentRequirements): Promise<LiveChannel> {
    const { config, seed } = await this.#payer.newChannel(requirements);
    const signer = createSigner(seed);
    const channel = { config, signer, spending: openSpending(0n), deposits: 0, isOpen: false };
    this.#live.set(channelId(config), channel);
    return channel;
  }

  /** Requests that come while a channel opens wait for its deposit, as long as the offer says. */
  async #untilOpen(channel: LiveChannel, { network, maxTimeoutSeconds }: PaymentRequirements): Promise<void> {
    const { algod, now = Date.now } = this.#options;
    const { config } = channel;
    for (
      const deadline = now() + maxTimeoutSeconds * 1000;
      !channel.isOpen && channel.deposits > 0 && now() < deadline;
    ) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const holding = await algod(network)?.accountAsset(channelId(config), config.token);
      channel.isOpen ||= (holding?.amount ?? 0n) > 0n;
    }
  }

  async #deposit(
    channel: LiveChannel,
    requirements: PaymentRequirements,
    amount: bigint,
  ): Promise<Record<string, unknown>> {
    const { config, deposits } = channel;
    const kind = deposits === 0 ? 'open' : 'top-up';
    // From now on others wait for it.
    channel.deposits++;
    const made = await this.#payer.deposit(config, requirements, { kind, amount, earlier: deposits }).catch((error) => {
      channel.deposits--;
      throw error;
    });
    channel.spending = { ...channel.spending, deposit: channel.spending.deposit + amount };
    const voucher = signed(channel, BigInt(requirements.amount));
    if (!voucher) throw new X402Error('spend_limit_exceeded', { message: 'the deposit does not cover the price' });
    const paymentGroup = made.paymentGroup.map((bytes) => ({ bytes }));
    return encodeChannelPayload({ type: 'deposit', channelConfig: config, voucher, deposit: { amount, paymentGroup } });
  }

  #depositFor(requirements: PaymentRequirements, { maxAmountPerPayment }: PaymentPayloadContext): bigint {
    const { depositMultiple = DEFAULT_MULTIPLE, maxDeposit } = this.#options;
    const { minDeposit } = parseChannelTerms(requirements.extra);
    const price = BigInt(requirements.amount);
    const least = minDeposit > price ? minDeposit : price;
    const wanted = depositMultiple * price > least ? depositMultiple * price : least;
    const cap = maxDeposit ?? (maxAmountPerPayment === undefined ? wanted : BigInt(maxAmountPerPayment));
    if (cap < least) {
      throw new X402Error('spend_limit_exceeded', {
        message: `a channel needs a deposit of ${least}, the limit is ${cap}`,
      });
    }
    return wanted < cap ? wanted : cap;
  }

  /** Learns from an answer; true if the request is to be signed again. */
  #learn({ paymentPayload, requirements, settleResponse, paymentRequired }: PaymentResponseContext): boolean {
    if (requirements.scheme !== this.scheme) return false;
    const payload = parseChannelPayload(paymentPayload.payload);
    const voucher = voucherIn(payload);
    const channel = voucher && this.#live.get(voucher.channelId);
    if (!channel) return false;
    const id = voucher.maxClaimableAmount;
    if (settleResponse?.success === true) {
      channel.isOpen = true;
      channel.spending = charged(channel, id, chargeIn(settleResponse), BigInt(requirements.amount));
      return false;
    }
    if (!settleResponse && !paymentRequired) {
      channel.spending = endInDoubt(channel.spending, id);
      return false;
    }
    channel.spending = learnCharge(channel.spending, id, 0n) ?? channel.spending;
    // A deposit that was refused may still be settled: what it opens comes back after the expiry.
    if (payload.type === 'deposit' && !channel.isOpen) this.#channels.delete(keyOf(requirements));
    return paymentRequired !== undefined && isCorrected(channel, paymentRequired);
  }
}

function voucherIn(payload: ChannelPayload): Voucher | undefined {
  return payload.type === 'refund' ? undefined : payload.voucher;
}

/**
 * A charge above the maximum is not believed, and counts as that. The stock client does not show whether the answer is a
 * stream, whose receipt tells the charge so far: the seller may tell of the rest later.
 */
function charged({ spending }: LiveChannel, id: bigint, cost: bigint | undefined, maximum: bigint): ChannelSpending {
  const part = learnPart(spending, id, cost ?? maximum);
  return part ? endInDoubt(part, id) : (learnCharge(spending, id, maximum) ?? spending);
}

function signed(channel: LiveChannel, maximum: bigint): Voucher | undefined {
  const next = signNext(channel.spending, maximum);
  if (!next) return undefined;
  channel.spending = next.next;
  return signVoucher(channel.signer, channelId(channel.config), next.amount);
}

/** Adopts what a 402 tells, if the channel's own key has signed it. */
function isCorrected(channel: LiveChannel, paymentRequired: Parameters<typeof toldState>[0]): boolean {
  const { config } = channel;
  const told = toldState(paymentRequired, channelId(config));
  if (!told) return false;
  const voucher = { channelId: channelId(config), maxClaimableAmount: told.signed, signature: told.signature };
  const adopted = isVoucherSigned(voucher, config.payerAuthorizer) ? adopt(channel.spending, told) : undefined;
  channel.spending = adopted ?? channel.spending;
  return adopted !== undefined;
}

/** One channel for each seller, closer and asset. */
function keyOf({ network, asset, payTo, extra }: PaymentRequirements): string {
  const { receiverAuthorizer, claimAuthorizer, funder, genesisHash } = parseChannelTerms(extra);
  return [network, asset, payTo, receiverAuthorizer, claimAuthorizer, funder, encodeBase64(genesisHash)].join(' ');
}
