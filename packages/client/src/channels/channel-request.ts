import { encodeChannelPayload } from '@avm402/avm/batch-settlement';
import { reportedState, type SignedRequest } from '@avm402/avm/batch-settlement/client';
import { isX402Error, X402Error } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import { discardBody } from '../http/discard-body.ts';
import { fingerprint, type ReplayableRequest } from '../http/replayable-request.ts';
import {
  type Answered,
  type Attempt,
  isDelivered,
  leavesOpen,
  type SendOptions,
  sendUntilAnswered,
} from '../http/send-until-answered.ts';
import { startTimeLimit } from '../http/waiting.ts';
import { unlessAborted } from '../http/unless-aborted.ts';
import { traced } from '../http/traced-request.ts';
import { type Held, Unfinished } from '../journal/unfinished.ts';
import { watchBody } from '../http/watched-body.ts';
import type { ChosenOffer } from '../offers/choose-offer.ts';
import { offerIn } from '../offers/parse-offer.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import { paymentHeader, paymentOf } from '../offers/payment-header.ts';
import { confirmOffer, type OnOffer } from '../offers/pay-offer.ts';
import type { RememberedOffers } from '../offers/remembered-offers.ts';
import type { ChannelBook } from './channel-book.ts';
import type { ChannelDeposit } from './channel-record.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import { judgeDispute } from './judge-dispute.ts';
import { learnDeposit, type LearnDepositOptions } from './learn-deposit.ts';
import { channelReceipt, chargeAboveMaximum, eventOf, isRefusal, reasonOf, stillOffers } from './voucher-answer.ts';

export interface ChannelRequestsOptions extends SendOptions, LearnDepositOptions {
  readonly book: ChannelBook;
  readonly random: (bytes: number) => Uint8Array;
  readonly onOffer: OnOffer | undefined;
  /** Paid routes: the next request carries its voucher at once, which costs nothing if it is refused. */
  readonly remembered: RememberedOffers;
}

/** A voucher on its way, with the request's payment header. */
interface CarriedVoucher extends Held {
  readonly channel: BuyerChannel;
  readonly signed: SignedRequest;
  readonly offer: ChosenOffer;
  /** Sent with the voucher: it opens the channel, or adds to it. */
  readonly deposit?: ChannelDeposit;
  /** The value of PAYMENT-SIGNATURE. */
  readonly header: string;
  /** The receipt of its charge: only the answer is missing. */
  readonly receipt?: SettleResponse;
  /** Releases the requests that wait for the deposit. */
  readonly endDeposit?: () => void;
}

/** The outcome of a request through a channel. */
export type ChannelOutcome =
  | {
      readonly do: 'done';
      readonly response: Response;
      readonly settlement?: SettleResponse;
      /** The fault in the seller's answer. */
      readonly problem?: X402Error;
    }
  /** The seller no longer makes the offer that was paid. */
  | { readonly do: 'read'; readonly response: Response };

/** Nothing was charged: the request is signed again, with `deposit` if the seller has forgotten it. */
interface Again {
  readonly do: 'again';
  readonly deposit?: ChannelDeposit;
}

/** How many times one request may be signed. */
const MAX_SIGNINGS = 4;
/** Reasons after which the request is signed again. */
const OUTDATED = ['channel_busy', 'cumulative_amount_mismatch'];
/** Reasons which say that the channel can't pay any more. */
const OVER = ['channel_not_found', 'channel_closed', 'channel_expiring'];
/** How long a request waits for the buyer's node to see a deposit, and how often the node is asked. */
const SEEN_MS = 5_000;
const SEEN_EVERY_MS = 250;

/** Pays requests through channels: signs, sends until answered, and learns what was charged. */
export class ChannelRequests {
  readonly #options: ChannelRequestsOptions;
  /** Vouchers that left and lack their answer. */
  readonly #held: Unfinished<CarriedVoucher>;

  constructor(options: ChannelRequestsOptions) {
    this.#options = options;
    // However old it is: a seller that has not kept its answer says so.
    this.#held = new Unfinished({ now: options.now, isOver: () => false });
  }

  /** The offer of an identical request that was paid and lacks its answer. */
  heldFor(request: ReplayableRequest): ChosenOffer | undefined {
    return this.#held.isEmpty ? undefined : this.#held.peek(fingerprint(request))?.offer;
  }

  /** Whether a channel has room for an offer that was paid before. */
  isReady({ requirements, url }: ChosenOffer): boolean {
    const { book, now } = this.#options;
    const channel = book.find(requirements, url.origin);
    return channel?.refusedAt(now()) === undefined && channel?.hasRoomFor(BigInt(requirements.amount)) === true;
  }

  /**
   * Pays a request through the offer's channel, opening it or adding to its deposit if necessary.
   * @throws X402Error `offer_declined`, `spend_limit_exceeded`, `channel_unavailable`, `payment_outcome_unknown`,
   * `unsafe_redirect`, whatever keeps a deposit from being made; the signal's reason
   */
  async pay(request: ReplayableRequest, chosen: ChosenOffer): Promise<ChannelOutcome> {
    const held = this.#held.isEmpty ? undefined : this.#held.take(fingerprint(request));
    const { deposit: _, ...unconfirmed } = chosen;
    const offer = held ? unconfirmed : this.#options.book.withDeposit(chosen);
    let outcome: ChannelOutcome | Again = { do: 'again' };
    if (held) outcome = await this.#present(request, held, true);
    else await confirmOffer(offer, this.#options.onOffer, request.signal);
    for (let left = MAX_SIGNINGS; outcome.do === 'again'; left--) {
      const { deposit } = outcome;
      const carried = await traced(request, 'x402.sign', { offer: offer.requirements }, () =>
        this.#sign(request, offer, deposit),
      );
      outcome = await this.#present(request, carried, left > 1);
    }
    return outcome;
  }

  async #sign(request: ReplayableRequest, offer: ChosenOffer, forgotten?: ChannelDeposit): Promise<CarriedVoucher> {
    const { book, now } = this.#options;
    const { method, signal } = request;
    const maximum = BigInt(offer.requirements.amount);
    for (;;) {
      const channel = await unlessAborted(signal, () => book.channelFor(offer, method));
      const refused = channel.refusedAt(now());
      if (refused !== undefined) throw new X402Error('channel_unavailable', { message: refused });
      const signed = await channel.sign(maximum);
      if (signed) return this.#carried(channel, signed, offer, forgotten);
      const { depositing } = channel;
      const carried = depositing === undefined ? await this.#signDeposit(channel, request, offer) : undefined;
      if (carried) return carried;
      await unlessAborted(signal, () => depositing);
    }
  }

  /**
   * Signs a voucher that is sent with a deposit. Other requests wait until this one has its answer, so that a wallet
   * that declines is not asked again for each of them. Undefined if the deposit has arrived meanwhile, or never will.
   */
  async #signDeposit(
    channel: BuyerChannel,
    request: ReplayableRequest,
    offer: ChosenOffer,
  ): Promise<CarriedVoucher | undefined> {
    request.signal?.throwIfAborted();
    const underWay = channel.beginDeposit();
    const { pending } = channel;
    const made = pending ? Promise.resolve(pending) : this.#options.book.topUp(channel, offer, request.method);
    try {
      const deposit = await unlessAborted(request.signal, () => made);
      const signed = await channel.sign(BigInt(offer.requirements.amount), deposit.amount);
      if (signed) return { ...this.#carried(channel, signed, offer, deposit), endDeposit: underWay.end };
      await this.#untilSeen(channel, deposit, request.signal);
      underWay.end();
      return undefined;
    } catch (error) {
      const over = (cause: unknown): void => {
        if (isX402Error(cause, 'signer_failed') || isX402Error(cause, 'offer_declined')) underWay.fail(cause);
        else underWay.end();
      };
      // If this request gave up, the others wait all the same: the wallet may still sign.
      void made.then(() => over(error), over);
      throw error;
    }
  }

  /**
   * Waits until the buyer's node has seen a deposit. A seller that has served all that it covers may be a block ahead.
   */
  async #untilSeen(channel: BuyerChannel, deposit: ChannelDeposit, signal: AbortSignal | undefined): Promise<void> {
    const { now, sleep } = this.#options;
    for (const timeLeft = startTimeLimit(SEEN_MS, now); timeLeft() > 0; await sleep(SEEN_EVERY_MS, signal)) {
      await unlessAborted(signal, () => learnDeposit(channel, deposit, this.#options));
      if (channel.pending === undefined) return;
    }
    const message = `the deposit ${deposit.txId} is used up, and your node has not seen it yet`;
    throw new X402Error('channel_unavailable', { message });
  }

  #carried(
    channel: BuyerChannel,
    signed: SignedRequest,
    offer: ChosenOffer,
    deposit: ChannelDeposit | undefined,
  ): CarriedVoucher {
    const { voucher } = signed;
    const part = { channelConfig: channel.config, voucher };
    const payload = encodeChannelPayload(
      deposit === undefined
        ? { type: 'voucher', ...part }
        : { type: 'deposit', ...part, deposit: { ...deposit, paymentGroup: deposit.paymentGroup.map(asMember) } },
    );
    const payment = paymentOf(offer.required, offer.requirements, payload);
    const header = paymentHeader(payment, offer.required, this.#options.random);
    return { channel, signed, offer, header, ...(deposit && { deposit }) };
  }

  async #present(
    request: ReplayableRequest,
    carried: CarriedVoucher,
    mayRepeat: boolean,
  ): Promise<ChannelOutcome | Again> {
    const { channel, deposit } = carried;
    const attempt = await this.#send(request, carried);
    try {
      const end = deposit && (await this.#learnDeposit(carried, deposit, attempt, request.signal));
      if ('lost' in attempt) throw this.#leftUnanswered(request, carried, attempt.lost, end);
      const isBelieved = carried.receipt !== undefined || channel.learn(carried.signed, eventOf(attempt));
      if (attempt.response.status === 402 && (end === 'expired' || end === 'forgotten') && mayRepeat) {
        discardBody(attempt.response);
        return { do: 'again' };
      }
      return isRefusal(attempt)
        ? await this.#refused(request, carried, attempt, mayRepeat)
        : this.#answered(request, carried, attempt, isBelieved);
    } finally {
      carried.endDeposit?.();
    }
  }

  /** Sends it until it is answered. One that an earlier call has sent is a copy; the receipt that came then holds. */
  async #send(request: ReplayableRequest, carried: CarriedVoucher): Promise<Attempt> {
    const { channel, header, signed, receipt, unfinishedSince } = carried;
    const { href: url } = carried.offer.url;
    const receiptOf = (value: string | null): SettleResponse | undefined => channelReceipt(channel.id, value);
    try {
      const attempt = await traced(request, 'x402.present', { url }, (inside) =>
        sendUntilAnswered(inside, { url, header, receiptOf }, this.#options),
      );
      if ('lost' in attempt) return attempt;
      const isCopy = attempt.isCopy === true || unfinishedSince !== undefined;
      if (isCopy && !receipt) channel.learn(signed, { event: 'unknown' });
      const { response, said } = attempt;
      return { response, said: said?.success === true ? said : (receipt ?? said), isCopy };
    } catch (failure) {
      return { lost: failure };
    }
  }

  /**
   * Asks the buyer's node what became of a deposit, unless that is known. A deposit that the node has not seen is sent
   * again with the next request, whatever the seller says about it: a seller that has it recognizes it. A caller that
   * gives up does not wait for the node.
   */
  async #learnDeposit(
    { channel }: CarriedVoucher,
    deposit: ChannelDeposit,
    attempt: Attempt,
    signal: AbortSignal | undefined,
  ): Promise<PaymentOutcome['state'] | undefined> {
    if (channel.pending?.txId !== deposit.txId) return undefined;
    const learned = unlessAborted(signal, () => learnDeposit(channel, deposit, this.#options));
    const state = await learned.catch((error: unknown): undefined => {
      if (signal?.aborted !== true) throw error;
    });
    // What follows a refusal depends on its reason.
    const isUnknown = 'lost' in attempt || eventOf(attempt).event === 'unknown';
    if (state === 'open' && isUnknown) {
      channel.refuse(`the deposit ${deposit.txId} is not settled yet`, this.#options.now());
    }
    return state;
  }

  #leftUnanswered(
    request: ReplayableRequest,
    carried: CarriedVoucher,
    cause: unknown,
    end?: PaymentOutcome['state'],
  ): unknown {
    const { channel, signed, deposit } = carried;
    if (deposit && end !== 'forgotten' && channel.record.state === 'closed') {
      const message = `the resource did not answer; the deposit ${deposit.txId} expired, so nothing was paid`;
      return new X402Error('request_failed', { message, details: { transaction: deposit.txId }, cause });
    }
    if (!carried.receipt) channel.learn(signed, { event: 'unknown' });
    this.#keep(request, carried);
    if (request.signal?.aborted === true) return cause;
    const details = {
      channel: channel.id,
      amount: signed.voucher.maxClaimableAmount.toString(),
      ...(deposit && { transaction: deposit.txId }),
    };
    if (isX402Error(cause)) return cause.with(details);
    const message = `the resource did not answer; it may charge channel ${channel.id} at most ${signed.maximum}`;
    return new X402Error('payment_outcome_unknown', { message, details, cause });
  }

  #answered(
    request: ReplayableRequest,
    carried: CarriedVoucher,
    answer: Answered,
    isBelieved: boolean,
  ): ChannelOutcome {
    const { offer, channel, signed } = carried;
    const { response, said } = answer;
    const isPaid = said?.success === true;
    const charged = isPaid ? { ...carried, receipt: said } : carried;
    const isHere = isDelivered(response, isPaid);
    if (isHere) this.#options.remembered.remember(request.method, offer);
    // With a 402, its seller says that it has no answer to give again.
    else if (response.status !== 402 && (isPaid || leavesOpen(answer))) this.#keep(request, charged);
    const cut = (): void => this.#keep(request, charged);
    // A stream may have cost more than its headers said.
    const over = (): boolean => channel.learn(signed, { event: 'unknown' });
    const problem = isBelieved ? undefined : chargeAboveMaximum(signed, said);
    return done({ response: isHere ? watchBody(response, cut, over) : response, said }, problem);
  }

  #keep(request: ReplayableRequest, carried: CarriedVoucher): void {
    const unfinishedSince = carried.unfinishedSince ?? this.#options.now();
    this.#held.keep(fingerprint(request), { ...carried, unfinishedSince });
  }

  /** Handles a 402 in answer to a voucher: it was not charged, unless an earlier copy was. */
  async #refused(
    request: ReplayableRequest,
    carried: CarriedVoucher,
    answer: Answered,
    mayRepeat: boolean,
  ): Promise<ChannelOutcome | Again> {
    const { channel, offer, signed } = carried;
    const { response, said, isCopy } = answer;
    const required = offerIn(response);
    if (!required) return done(answer);
    const reason = reasonOf(required, said);
    const reported = reportedState(required, channel.id);
    const doubted = channel.spending.doubtful;
    const isLie = reported !== undefined && !channel.adopt(reported);
    const charged = isCopy && !isLie ? chargeTold(signed, doubted, channel) : 0n;
    // Its answer was not kept: only the caller may pay it once more.
    if (charged > 0n) return done({ response, said: chargeReported(offer, charged) });
    if (!stillOffers(required, offer)) {
      this.#options.remembered.forget(request.method, offer.url.href);
      return { do: 'read', response };
    }
    const repeated = isLie || !mayRepeat ? undefined : await this.#repeat(carried, reason, request.signal);
    if (repeated) {
      discardBody(response);
      return repeated;
    }
    const why = isLie
      ? 'the seller reports charges that were not signed for'
      : `the seller does not take channel ${channel.id}: ${reason}`;
    channel.refuse(why, this.#options.now());
    return done(answer, new X402Error('channel_unavailable', { message: why }));
  }

  /** Whether a refused request is signed again, and with which deposit. */
  async #repeat(
    { channel, offer, deposit }: CarriedVoucher,
    reason: string,
    signal: AbortSignal | undefined,
  ): Promise<Again | undefined> {
    if (OUTDATED.includes(reason)) return { do: 'again' };
    if (reason === 'cumulative_exceeds_balance') return showing(channel.record.deposits.at(-1), deposit);
    if (!OVER.includes(reason)) return undefined;
    const verdict = await unlessAborted(signal, () => judgeDispute(channel, offer.requirements, this.#options));
    if (verdict === 'over') return { do: 'again' };
    return reason === 'channel_not_found' ? showing(channel.record.deposits[0], deposit) : undefined;
  }
}

/** The seller lost its record, or lies: it is shown a deposit, once. */
function showing(forgotten: ChannelDeposit | undefined, shown: ChannelDeposit | undefined): Again | undefined {
  return forgotten && !shown ? { do: 'again', deposit: forgotten } : undefined;
}

function done({ response, said }: Answered, problem?: X402Error): ChannelOutcome {
  return { do: 'done', response, ...(said && { settlement: said }), ...(problem && { problem }) };
}

/**
 * The charge of a request that was in doubt, as far as it no longer is. Another request's answer may have told of it
 * before this one's.
 */
function chargeTold({ maximum }: SignedRequest, doubted: bigint, { spending }: BuyerChannel): bigint {
  const charged = (doubted > maximum ? doubted : maximum) - spending.doubtful;
  return charged < maximum ? charged : maximum;
}

/** The charge of a request, by a 402 that reports it. */
function chargeReported({ requirements: { network } }: ChosenOffer, charged: bigint): SettleResponse {
  return { success: true, transaction: '', network, extra: { chargedAmount: charged.toString() } };
}

function asMember(bytes: Uint8Array): { readonly bytes: Uint8Array } {
  return { bytes };
}
