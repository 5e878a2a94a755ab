import { type ChannelConfig, channelId, type ChannelTerms } from '@avm402/avm/batch-settlement';
import { channelKey, type ChannelPayer, type CreatedDeposit } from '@avm402/avm/batch-settlement/client';
import { X402Error } from '@avm402/core/errors';
import { loadedOnce } from '@avm402/core/loaded-once';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { AssetAmount } from '../budget/cost.ts';
import type { Refusal } from '../budget/spend-policy.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { ChosenOffer } from '../offers/choose-offer.ts';
import { confirmOffer, type OnOffer, payOffer, type PayOfferOptions } from '../offers/pay-offer.ts';
import { BuyerChannel } from './buyer-channel.ts';
import type { ChannelDeposit, ChannelRecord, OpenedFor } from './channel-record.ts';
import type { ChannelStore } from './channel-store.ts';
import type { DepositPolicy } from './deposit-policy.ts';
import { offeredTerms } from './offered-terms.ts';

export interface ChannelBookOptions extends PayOfferOptions {
  readonly payer: ChannelPayer;
  readonly store: ChannelStore;
  readonly deposits: DepositPolicy;
  readonly onOffer: OnOffer | undefined;
}

/** The channels of one account in one store. All its payers share them: two signers of one channel would sign the same amounts. */
interface OwnChannels {
  readonly known: Map<string, BuyerChannel>;
  /** Channels that are being opened, by their key. */
  readonly opening: Map<string, Promise<BuyerChannel>>;
}

const channelsOf = new WeakMap<ChannelStore, Map<string, OwnChannels>>();

function ownChannels(store: ChannelStore, address: string): OwnChannels {
  const byAddress = channelsOf.get(store) ?? new Map<string, OwnChannels>();
  const own = byAddress.get(address) ?? { known: new Map(), opening: new Map() };
  channelsOf.set(store, byAddress.set(address, own));
  return own;
}

/** All channels of one buyer: finds the one for an offer, opens it, and adds to its deposit. */
export class ChannelBook {
  readonly #options: ChannelBookOptions;
  readonly #channels: OwnChannels;
  readonly #keys = new WeakMap<OpenedFor, string>();
  readonly #terms = new WeakMap<PaymentRequirements, ChannelTerms | Refusal>();

  constructor(options: ChannelBookOptions) {
    this.#options = options;
    this.#channels = ownChannels(options.store, options.payer.address);
  }

  /** Reads the store, once. Rejects with what the store throws. */
  readonly load = loadedOnce(() => this.#read());

  /** Stores what is known of each channel. If that fails, the seller is asked again. */
  async save(): Promise<void> {
    await Promise.allSettled(this.all().map((channel) => channel.save()));
  }

  /** The channels that are on record, the oldest first. */
  all(): readonly BuyerChannel[] {
    return [...this.#channels.known.values()];
  }

  /** Puts a channel on record; one that is known stays as it is. */
  async add(record: ChannelRecord): Promise<BuyerChannel> {
    const known = this.#channels.known.get(channelId(record.config));
    if (known) return known;
    await this.#options.store.write(record);
    return this.#channelOf(record);
  }

  /**
   * The amount that paying an offer takes out of the account now: nothing if a channel has room for it, else a deposit.
   */
  readonly outlay = (requirements: PaymentRequirements, origin: string): AssetAmount | Refusal => {
    const terms = this.#termsOf(requirements);
    if ('reason' in terms) return terms;
    const channel = this.find(requirements, origin);
    const refused = channel?.refusedAt(this.#options.now());
    if (refused !== undefined) return { kind: 'policy', reason: refused };
    const { network, asset } = requirements;
    const isOpening = channel?.pending ?? this.#channels.opening.get(keyOf(requirements, terms, origin));
    if (isOpening !== undefined || channel?.hasRoomFor(BigInt(requirements.amount)) === true) {
      return { network, asset, amount: 0n };
    }
    const amount = this.#options.deposits.depositFor(requirements, terms);
    return typeof amount === 'bigint' ? { network, asset, amount } : amount;
  };

  /** An offer with the deposit that paying it takes now. */
  withDeposit(chosen: ChosenOffer): ChosenOffer {
    const { deposit: _, ...offer } = chosen;
    const outlay = this.outlay(offer.requirements, offer.url.origin);
    if ('reason' in outlay || outlay.amount === 0n) return offer;
    return { ...offer, deposit: this.#options.deposits.shown(outlay) };
  }

  /** The open channel for an offer. */
  find(requirements: PaymentRequirements, origin: string): BuyerChannel | undefined {
    const terms = this.#termsOf(requirements);
    if ('reason' in terms) return undefined;
    const key = keyOf(requirements, terms, origin);
    return this.all().findLast((channel) => {
      const { record, canSign } = channel;
      return canSign && record.state === 'open' && this.#keyOfRecord(record) === key;
    });
  }

  /** Cached, because each request asks for it. */
  #keyOfRecord({ opened }: ChannelRecord): string | undefined {
    if (!opened) return undefined;
    const known = this.#keys.get(opened);
    if (known !== undefined) return known;
    const terms = this.#termsOf(opened.requirements);
    if ('reason' in terms) return undefined;
    const key = keyOf(opened.requirements, terms, new URL(opened.url).origin);
    this.#keys.set(opened, key);
    return key;
  }

  /**
   * The open channel for an offer, or a new one with its deposit signed and on record.
   * @throws X402Error `spend_limit_exceeded`, `signer_failed`, `network_mismatch`, `channel_unavailable`; what the store
   * and the journal throw
   */
  async channelFor(offer: ChosenOffer, method: string): Promise<BuyerChannel> {
    await this.load();
    const { requirements, url } = offer;
    const terms = this.#termsOf(requirements);
    if ('reason' in terms) throw new X402Error('channel_unavailable', { message: terms.reason });
    const known = this.find(requirements, url.origin);
    if (known) return known;
    const key = keyOf(requirements, terms, url.origin);
    const { opening } = this.#channels;
    const opened = opening.get(key) ?? this.#open(offer, method).finally(() => opening.delete(key));
    opening.set(key, opened);
    return opened;
  }

  /**
   * Adds to a channel's deposit. The deposit is put on record; the caller sends it.
   * @throws as {@link channelFor}
   */
  async topUp(channel: BuyerChannel, offer: ChosenOffer, method: string): Promise<ChannelDeposit> {
    const { config, record } = channel;
    const earlier = record.deposits.length + (record.usedUp?.count ?? 0);
    const { made, payment } = await this.#deposit(offer, method, async (most) => {
      const options = { kind: 'top-up', amount: most, earlier } as const;
      return { config, made: await this.#options.payer.deposit(config, offer.requirements, options) };
    });
    const deposit = depositOf(made, payment);
    await channel.deposited(deposit);
    return deposit;
  }

  async #open(offer: ChosenOffer, method: string): Promise<BuyerChannel> {
    const { payer } = this.#options;
    const { requirements, url } = offer;
    const { made, payment, config, seed } = await this.#deposit(offer, method, async (most) => {
      const channel = await payer.newChannel(requirements);
      const options = { kind: 'open', amount: most, earlier: 0 } as const;
      return { ...channel, made: await payer.deposit(channel.config, requirements, options) };
    });
    return this.add({
      config,
      network: requirements.network,
      ...(payer.sessionKey(config) === undefined && { seed }),
      opened: { method, url: url.origin + url.pathname, requirements },
      state: 'open',
      deposits: [depositOf(made, payment)],
      charged: 0n,
      signed: 0n,
      signedUpTo: 0n,
    });
  }

  /** Signs a deposit within the budgets and records it as money that left: a payment to the channel. */
  async #deposit<T extends SignedDeposit>(
    offer: ChosenOffer,
    method: string,
    sign: (amount: bigint) => Promise<T>,
  ): Promise<T & { readonly payment: SentPayment }> {
    const { deposits, onOffer } = this.#options;
    const { requirements } = offer;
    const terms = this.#termsOf(requirements);
    const amount = 'reason' in terms ? terms : deposits.depositFor(requirements, terms);
    if (typeof amount !== 'bigint') throw new X402Error('spend_limit_exceeded', { message: amount.reason });
    const { network, asset } = requirements;
    const shown = { ...offer, deposit: deposits.shown({ network, asset, amount }) };
    // The user was asked about another deposit: the channel has been used up since.
    if (offer.deposit?.amount !== amount) await confirmOffer(shown, onOffer, undefined);
    const signDeposit = async () => {
      const signed = await sign(amount);
      const { config, made } = signed;
      const { paymentGroup: _, ...facts } = made;
      return { ...signed, facts: { ...facts, payTo: channelId(config), payer: config.payer, fee: 0n } };
    };
    return payOffer(shown, { amount, method, sign: signDeposit }, this.#options);
  }

  /** Offers that come again and again are read only once. */
  #termsOf(requirements: PaymentRequirements): ChannelTerms | Refusal {
    const known = this.#terms.get(requirements);
    if (known) return known;
    const terms = ownTermsOf(requirements, this.#options.payer.address);
    this.#terms.set(requirements, terms);
    return terms;
  }

  async #read(): Promise<void> {
    const { store, payer } = this.#options;
    // Several accounts may share a store; none of them pays with another's deposit.
    const isOwn = ({ state, config }: ChannelRecord): boolean => state !== 'closed' && config.payer === payer.address;
    for (const record of await store.read()) if (isOwn(record)) this.#channelOf(record);
  }

  /** The channel of a record: what is known of it already is newer. */
  #channelOf(record: ChannelRecord): BuyerChannel {
    const { store, payer } = this.#options;
    const { known } = this.#channels;
    const id = channelId(record.config);
    const signer = payer.sessionKey(record.config);
    const channel = known.get(id) ?? new BuyerChannel({ record, store, signer });
    // A wallet that shares the store may have read it first, and can't sign for what an account's own key opened.
    if (signer) channel.signBy(signer);
    known.set(id, channel);
    return channel;
  }
}

interface SignedDeposit {
  readonly config: ChannelConfig;
  readonly made: CreatedDeposit;
}

function depositOf({ paymentGroup }: CreatedDeposit, payment: SentPayment): ChannelDeposit {
  const { txId, groupTxIds, firstValid, lastValid, amount } = payment;
  return { txId, groupTxIds, firstValid, lastValid, paymentGroup, amount, settled: false };
}

/** A channel serves one seller at one origin: vouchers are shown to nobody else. */
function keyOf(offer: PaymentRequirements, terms: ChannelTerms, origin: string): string {
  return `${channelKey(offer, terms)} ${origin}`;
}

function ownTermsOf(requirements: PaymentRequirements, payer: string): ChannelTerms | Refusal {
  const terms = offeredTerms(requirements);
  if ('reason' in terms || (terms.receiverAuthorizer !== payer && terms.funder !== payer)) return terms;
  return { kind: 'policy', reason: 'the channel would be closed or funded by the payer' };
}
