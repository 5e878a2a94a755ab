import { isX402Error, X402Error } from '@avm402/core/errors';
import type { Trace } from '@avm402/core/trace';
import { networksEqual } from '@avm402/core/network';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { SpendPolicy } from '../budget/spend-policy.ts';
import { discardBody } from '../http/discard-body.ts';
import { attemptInit, fingerprint, readRequest, type ReplayableRequest } from '../http/replayable-request.ts';
import { isDelivered, isEarly } from '../http/send-until-answered.ts';
import { send } from '../http/send.ts';
import { sendPaid } from '../http/send-paid.ts';
import { traced } from '../http/traced-request.ts';
import { watchBody } from '../http/watched-body.ts';
import { isByChannel, type ChosenOffer, type Quote } from '../offers/choose-offer.ts';
import { KnownOffers } from '../offers/known-offers.ts';
import { parseOffer } from '../offers/parse-offer.ts';
import { payableUrl } from '../offers/payable-url.ts';
import type { RememberedOffers } from '../offers/remembered-offers.ts';
import type { PaymentFactory } from './payment-factory.ts';
import type { LazyChannels } from './lazy-channels.ts';
import { advance, outcomeOf, type PaidRequest, type PaymentProof } from './paid-request.ts';
import { askOwnNode, presentPayment, type Presented, type PresentOptions } from './present-payment.ts';
import { report, reportOf } from './payment-report.ts';
import type { UnfinishedPayments } from './unfinished-payments.ts';

export interface RequestLoopOptions extends PresentOptions {
  readonly factory: PaymentFactory;
  readonly policy: SpendPolicy;
  /** The most payments that are made for one request. */
  readonly mostPayments: number;
  readonly unfinished: UnfinishedPayments;
  /** Offers of paid routes: the next request can pay at the first try. */
  readonly remembered: RememberedOffers;
  /** Pays at the first try by other schemes as well, not only by voucher. (A refused voucher costs nothing.) */
  readonly preempt: boolean;
  /** Undefined if requests may not be paid through channels. */
  readonly channels: LazyChannels | undefined;
  /** Chooses an offer, but does not pay it. */
  readonly dryRun: boolean;
  /** Starts the trace of a request. */
  readonly trace: () => Promise<Trace>;
}

/**
 * One request, and how many payments it may still make: a second one only replaces one that the buyer's node has seen
 * expire.
 */
interface Turn {
  readonly request: ReplayableRequest;
  paymentsLeft: number;
}

/** The next step of a request. */
type Step =
  /** Sends it without a payment. */
  | { readonly do: 'ask' }
  /** Checks whether a response asks for payment. */
  | { readonly do: 'read'; readonly response: Response }
  /** Makes the payment of an offer. */
  | { readonly do: 'pay'; readonly offer: ChosenOffer }
  /** Sends it with a payment until that is answered. */
  | { readonly do: 'present'; readonly paid: PaidRequest; readonly offer?: ChosenOffer }
  /** Hands a response to the caller. */
  | { readonly do: 'done'; readonly response: Response };

/** The loop of one request: ask, choose, pay, send with the payment, find out what became of it. */
export class RequestLoop {
  readonly #options: RequestLoopOptions;
  readonly #knownOffers = new KnownOffers();

  constructor(options: RequestLoopOptions) {
    this.#options = options;
  }

  /** Works like fetch; rejects with X402Error if a payment was refused or its outcome is unknown. */
  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = await readRequest(input, init, await this.#options.trace());
    const { method, url } = request;
    return traced(request, 'x402.fetch', { method, url }, async (inside) => {
      const response = await this.#answer(inside);
      const { settlement, payment } = reportOf(response) ?? {};
      inside.trace.note({ status: response.status, settlement, transaction: payment?.txId });
      return response;
    });
  };

  /** Quotes a request; see Payer. */
  readonly quote = async (input: RequestInfo | URL, init?: RequestInit): Promise<Quote> => {
    const { factory, policy, trace } = this.#options;
    const request = await readRequest(input, init, await trace());
    const response = await this.#send(request);
    discardBody(response);
    const offer = parseOffer(response);
    if (offer.kind === 'malformed') throw offer.problem;
    if (offer.kind === 'offer') return factory.judge(offer.required, payableUrl(request, response, policy));
    const { origin, pathname } = new URL(response.url || request.url);
    const message = `${origin + pathname} answered ${response.status} and asks for no payment`;
    throw new X402Error('nothing_to_pay', { message });
  };

  async #answer(request: ReplayableRequest): Promise<Response> {
    try {
      const turn: Turn = { request, paymentsLeft: this.#options.mostPayments };
      let step = await this.#begin(request);
      while (step.do !== 'done') step = await this.#next(turn, step);
      return step.response;
    } catch (error) {
      const { requestId } = request.heard;
      throw isX402Error(error) && requestId !== undefined ? error.with({ requestId }) : error;
    }
  }

  async #begin(request: ReplayableRequest): Promise<Step> {
    if (request.carriesPayment || !request.isReplayable || this.#options.dryRun) return { do: 'ask' };
    // Channels that were not used yet hold nothing.
    const held = this.#options.channels?.loaded?.requests.heldFor(request);
    if (held) return { do: 'pay', offer: held };
    const unfinished = await this.#takeUnfinished(request);
    if (unfinished) return { do: 'present', paid: unfinished };
    const offer = await this.#rememberedOffer(request);
    return offer ? { do: 'pay', offer } : { do: 'ask' };
  }

  #next(turn: Turn, step: Exclude<Step, { do: 'done' }>): Promise<Step> {
    if (step.do === 'ask') return this.#ask(turn.request);
    if (step.do === 'read') return this.#read(turn.request, step.response);
    if (step.do === 'pay') {
      const { channels } = this.#options;
      return channels && isByChannel(step.offer)
        ? this.#payByChannel(turn, step.offer, channels)
        : this.#pay(turn, step.offer);
    }
    return this.#present(turn, step.paid, step.offer);
  }

  async #ask(request: ReplayableRequest): Promise<Step> {
    const { url, carriesPayment } = request;
    const response = await traced(request, 'x402.ask', { url }, (inside) => this.#send(inside));
    return { do: carriesPayment ? 'done' : 'read', response };
  }

  /** Sends a request as it is. A payment that it has brought along reaches no other origin. */
  async #send(request: ReplayableRequest): Promise<Response> {
    const { fetch } = this.#options;
    const { url, signal, carriesPayment } = request;
    if (carriesPayment) return (await sendPaid(request, { url, fetch, signal })).response;
    return send(request, { url, init: attemptInit(request, {}), fetch });
  }

  /** Chooses an offer to pay, or hands the response to the caller if it has none that can be read. */
  async #read(request: ReplayableRequest, response: Response): Promise<Step> {
    const offer = parseOffer(response, this.#knownOffers.decode);
    // A HEAD shows what a GET would cost. It has no body, even if it is paid.
    if (offer.kind === 'none' || request.method === 'HEAD') return { do: 'done', response };
    if (offer.kind === 'malformed') return { do: 'done', response: report(response, { problem: offer.problem }) };
    const { factory, policy, dryRun } = this.#options;
    try {
      const url = payableUrl(request, response, policy);
      const chosen = await factory.choose(offer.required, url, request.signal);
      if (dryRun) return { do: 'done', response: report(response, { offer: chosen }) };
      if (!request.isReplayable) throw new X402Error('body_not_replayable');
      discardBody(response);
      return { do: 'pay', offer: chosen };
    } catch (refusal) {
      // The caller never sees this response.
      discardBody(response);
      throw refusal;
    }
  }

  async #pay(turn: Turn, offer: ChosenOffer): Promise<Step> {
    const { method, signal } = turn.request;
    const { factory, unfinished } = this.#options;
    const seal = (payment: SentPayment, { proof }: { readonly proof: PaymentProof }) =>
      unfinished.seal(fingerprint(turn.request), payment, proof);
    try {
      const paid = await traced(turn.request, 'x402.sign', { offer: offer.requirements }, () =>
        factory.pay(offer, { method, signal, seal }),
      );
      turn.paymentsLeft--;
      return { do: 'present', paid, offer };
    } catch (error) {
      const other = isX402Error(error, 'network_mismatch') && (await this.#chooseElsewhere(offer, signal));
      if (!other) throw error;
      return { do: 'pay', offer: other };
    }
  }

  /**
   * Pays through a channel, which has a loop of its own: a payment's identity there is its amount, and the chain has no
   * say in its outcome.
   */
  async #payByChannel(turn: Turn, offer: ChosenOffer, channels: LazyChannels): Promise<Step> {
    const { requests } = await channels.load();
    const outcome = await requests.pay(turn.request, offer);
    turn.paymentsLeft--;
    if (outcome.do === 'read' && turn.paymentsLeft > 0) return outcome;
    const { response, do: _, ...found } = outcome;
    return { do: 'done', response: report(response, { offer, ...found }) };
  }

  /** The next best offer on another network, because the configured algod turned out not to belong to this one. */
  async #chooseElsewhere(offer: ChosenOffer, signal: AbortSignal | undefined): Promise<ChosenOffer | undefined> {
    const { required, requirements, url } = offer;
    const accepts = required.accepts.filter(({ network }) => !networksEqual(network, requirements.network));
    try {
      return await this.#options.factory.choose({ ...required, accepts }, url, signal);
    } catch (error) {
      if (isX402Error(error)) return undefined;
      throw error;
    }
  }

  async #present(turn: Turn, sent: PaidRequest, offer: ChosenOffer | undefined): Promise<Step> {
    const { request } = turn;
    const facts = { url: sent.proof.url, transaction: sent.payment.txId };
    const presented = await traced(request, 'x402.present', facts, (inside) =>
      presentPayment(inside, sent, this.#options),
    ).catch((failure: unknown) => ({ paid: sent, failure }));
    if ('failure' in presented) {
      this.#keep(request, advance(presented.paid, { event: 'undelivered', at: this.#options.now() }));
      throw presented.failure;
    }
    const { paid, response } = presented;
    if (!this.#isOver(presented) || turn.paymentsLeft === 0) {
      return { do: 'done', response: await this.#finish(request, presented, offer) };
    }
    this.#options.unfinished.finish(paid.payment);
    try {
      await this.#options.factory.refresh(paid.payment.network, request.signal);
      return { do: 'read', response };
    } catch (failure) {
      discardBody(response);
      throw failure;
    }
  }

  /**
   * Whether another payment may follow the refusal of this one: it can't be confirmed any more, or if it was, that is so
   * long ago that nobody can expect an answer to it. No clock alone says so: the payment was just sent once more.
   */
  #isOver({ paid, response }: Presented): boolean {
    if (response.status !== 402) return false;
    if (paid.state === 'confirmed' || paid.state === 'forgotten') return this.#options.unfinished.isOld(paid);
    return paid.state === 'expired';
  }

  /**
   * Hands over the answer. The payment is kept for the next identical request, unless this answer is the response that
   * was paid for, and the payment is settled or will be behind it: the buyer's node is asked about that.
   */
  async #finish(request: ReplayableRequest, presented: Presented, offer?: ChosenOffer): Promise<Response> {
    const { response, settlement } = presented;
    const { spending, now } = this.#options;
    const { payment } = presented.paid;
    const settled = settlement?.success === true;
    // Only for the record: a journal that fails here must not cost the response that was paid for.
    await spending.answered(payment, response.status, settled).catch(() => {});
    const isHere = isDelivered(response, settled);
    const isAwaited = isEarly({ response, said: settlement });
    if (isAwaited) spending.follow(payment);
    const isDone = (isHere && settled) || isAwaited;
    const came = { event: isHere ? 'delivered' : 'undelivered', at: now() } as const;
    const paid = isDone ? presented.paid : advance(presented.paid, came);
    if (!isDone) this.#keep(request, paid);
    this.#rememberOffer(request, response, offer);
    const facts = { payment, outcome: outcomeOf(paid), ...(offer && { offer }), ...(settlement && { settlement }) };
    return report(isHere ? this.#watched(request, response, { paid, isDone }) : response, facts);
  }

  /**
   * The response that was paid for. If its body breaks off, the next identical request sends the payment again; once it
   * has come whole, nothing is missing of a payment that `isDone`.
   */
  #watched(
    request: ReplayableRequest,
    response: Response,
    { paid, isDone }: { readonly paid: PaidRequest; readonly isDone: boolean },
  ): Response {
    const { unfinished, now } = this.#options;
    let isWhole = true;
    const cutOff = (): void => {
      isWhole = false;
      const broken = advance(paid, { event: 'undelivered', at: now() });
      if (isDone) this.#keep(request, broken);
      else unfinished.update(fingerprint(request), broken);
    };
    const over = (): void => {
      if (isDone && isWhole) unfinished.finish(paid.payment);
    };
    return watchBody(response, cutOff, over);
  }

  #keep(request: ReplayableRequest, paid: PaidRequest): void {
    this.#options.unfinished.keep(fingerprint(request), paid);
  }

  /** The payment of an earlier identical request, if it must be sent again. */
  async #takeUnfinished(request: ReplayableRequest): Promise<PaidRequest | undefined> {
    for (;;) {
      const taken = this.#options.unfinished.take(fingerprint(request));
      if (!taken || (await this.#mustBeSentAgain(taken, request))) return taken;
    }
  }

  /**
   * Whether a payment must be sent again. One that lacks only its receipt is finished once the buyer's node has seen
   * what became of it, and an old one once it has expired.
   */
  async #mustBeSentAgain(taken: PaidRequest, request: ReplayableRequest): Promise<boolean> {
    const { unfinished } = this.#options;
    if (taken.state !== 'answered' && !unfinished.isOld(taken)) return true;
    try {
      const { state } = outcomeOf(await askOwnNode(taken, request.signal, this.#options));
      const isOver = state === 'expired' || (state === 'confirmed' && taken.state === 'answered');
      if (isOver) unfinished.finish(taken.payment);
      return !isOver;
    } catch (aborted) {
      this.#keep(request, taken);
      throw aborted;
    }
  }

  /**
   * The offer to pay at the first try. If our limits refuse the remembered offer, the current one may still be
   * acceptable.
   */
  async #rememberedOffer({ method, url, signal }: ReplayableRequest): Promise<ChosenOffer | undefined> {
    const { remembered, factory, channels, preempt } = this.#options;
    const offer = remembered.get(method, url);
    if (!offer) return undefined;
    // The query may differ.
    if (isByChannel(offer))
      return (await channels?.load())?.requests.isReady(offer) ? { ...offer, url: new URL(url) } : undefined;
    if (!preempt) return undefined;
    try {
      return await factory.choose(offer.required, new URL(url), signal);
    } catch (error) {
      if (!isX402Error(error, 'spend_limit_exceeded') && !isX402Error(error, 'no_acceptable_offer')) throw error;
      remembered.forget(method, url);
      return undefined;
    }
  }

  #rememberOffer({ method, url }: ReplayableRequest, response: Response, offer: ChosenOffer | undefined): void {
    const { remembered } = this.#options;
    if (!response.ok) remembered.forget(method, offer?.url.href ?? url);
    else if (offer) remembered.remember(method, offer);
  }
}
