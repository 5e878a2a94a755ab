import { isX402Error } from '@avm402/core/errors';
import type { Network } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { chooseOffer, judgeOffers, type ChooseOptions, type ChosenOffer, type Quote } from '../offers/choose-offer.ts';
import { paymentHeader } from '../offers/payment-header.ts';
import { confirmOffer, type OnOffer, payOffer, type PayOfferOptions } from '../offers/pay-offer.ts';
import type { LazyChannels } from './lazy-channels.ts';
import { PaymentProof, type PaidRequest } from './paid-request.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import type { PaymentMaker } from './payment-maker.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { SpendPolicy } from '../budget/spend-policy.ts';
import { unlessAborted } from '../http/unless-aborted.ts';

export interface PaymentFactoryOptions extends PayOfferOptions {
  readonly maker: PaymentMaker;
  readonly policy: SpendPolicy;
  readonly algodOf: AlgodOf;
  /** Undefined if offers may not be paid through channels. */
  readonly channels: LazyChannels | undefined;
  readonly random: (bytes: number) => Uint8Array;
  readonly onOffer: OnOffer | undefined;
}

/** The request that is paid for. */
export interface PaymentPurpose {
  readonly method: string;
  readonly signal: AbortSignal | undefined;
  /** Stores the payment in case this process never sees its answer. */
  readonly seal?: (payment: SentPayment, signed: { readonly proof: PaymentProof }) => Promise<void>;
}

/** Chooses an offer and makes its payment. */
export class PaymentFactory {
  readonly #options: PaymentFactoryOptions;

  constructor(options: PaymentFactoryOptions) {
    this.#options = options;
  }

  /**
   * Chooses the offer to pay.
   * @throws X402Error `spend_limit_exceeded`, `no_acceptable_offer`, `invalid_mandate`, `journal_unavailable`,
   * `journal_corrupt`; the signal's reason
   */
  async choose(required: PaymentRequired, url: URL, signal: AbortSignal | undefined): Promise<ChosenOffer> {
    const { spending } = this.#options;
    const options = await unlessAborted(signal, () => this.#chooseOptions());
    const choose = (): ChosenOffer => chooseOffer(required, url, options);
    spending.reconcileBehind();
    try {
      return choose();
    } catch (error) {
      if (!isX402Error(error, 'spend_limit_exceeded')) throw error;
      // Payments that have expired make room.
      await unlessAborted(signal, () => spending.reconcile());
      return choose();
    }
  }

  /**
   * Judges every offer.
   * @throws X402Error `invalid_mandate`, `journal_unavailable`, `journal_corrupt`
   */
  async judge(required: PaymentRequired, url: URL): Promise<Quote> {
    return judgeOffers(required, url, await this.#chooseOptions());
  }

  async #chooseOptions(): Promise<ChooseOptions> {
    const { maker, spending, channels } = this.#options;
    await maker.ready?.();
    await spending.load();
    const book = (await channels?.load())?.book;
    // What a channel on record has room for takes no deposit.
    await book?.load();
    const whyNotPayer = (requirements: PaymentRequirements) => maker.whyNot(requirements);
    return { ...this.#options, payer: maker.payer, whyNotPayer, channelOutlay: book?.outlay };
  }

  /**
   * Asks algod again for the rounds in which the next payment on a network is valid.
   * @throws what algod throws
   */
  async refresh(network: Network, signal: AbortSignal | undefined): Promise<void> {
    await unlessAborted(signal, () => this.#options.maker.refresh(network));
  }

  /**
   * Makes the payment of a chosen offer and records it. From then on it counts as money that left.
   * @throws X402Error `offer_declined`, `spend_limit_exceeded`, `journal_unavailable`; what the scheme throws; the
   * signal's reason
   */
  async pay(offer: ChosenOffer, { method, signal, seal }: PaymentPurpose): Promise<PaidRequest> {
    const { onOffer, maker, random } = this.#options;
    await confirmOffer(offer, onOffer, signal);
    const sign = async () => {
      const { payload, ...made } = await unlessAborted(signal, () =>
        maker.make(offer.required, offer.requirements, signal),
      );
      return { ...made, proof: new PaymentProof(paymentHeader(payload, offer.required, random), offer.url) };
    };
    const amount = BigInt(offer.requirements.amount);
    const { payment, proof } = await payOffer(offer, { amount, method, sign, seal }, this.#options);
    return { state: 'sent', payment, proof };
  }
}
