import { isX402Error, X402Error } from '@avm402/core/errors';
import { networksEqual } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { Cashier } from './payment/cashier.ts';
import type { ChosenOffer, Judgement } from './offers/choose-offer.ts';
import { discardBody } from './http/discard-body.ts';
import type { InFlightPayment, InFlightPayments } from './payment/in-flight-payment.ts';
import { KnownOffers } from './offers/known-offers.ts';
import { parseOffer } from './offers/parse-offer.ts';
import { paymentOutcome } from './own-node/payment-outcome.ts';
import { presentPayment, type Presented, type PresentOptions } from './payment/present-payment.ts';
import type { RememberedOffers } from './offers/remembered-offers.ts';
import { attemptInit, fingerprint, readRequest, type ReplayableRequest } from './http/replayable-request.ts';
import { report } from './payment/settlement.ts';
import type { Spending } from './budget/spending.ts';
import type { SpendPolicy } from './budget/spend-policy.ts';
import { watchBody } from './http/watched-body.ts';

export interface RequestLoopOptions extends PresentOptions {
  readonly cashier: Cashier;
  readonly policy: SpendPolicy;
  readonly spending: Spending;
  readonly inFlight: InFlightPayments;
  /** Present: pay at the first try where an offer is remembered. */
  readonly remembered: RememberedOffers | undefined;
  /** Choose, but do not pay. */
  readonly dryRun: boolean;
}

/** One request and how often it may still pay. */
interface Turn {
  readonly request: ReplayableRequest;
  /** Where the request goes, once its redirects are known. */
  readonly url: URL;
  /** A second payment only takes the place of one that the own node has seen expire. */
  readonly paymentsLeft: number;
}

const MAX_PAYMENTS = 2;

/** The loop of one request: ask, choose, pay, send with the payment, find out what became of it. */
export class RequestLoop {
  readonly #options: RequestLoopOptions;
  readonly #knownOffers = new KnownOffers();

  constructor(options: RequestLoopOptions) {
    this.#options = options;
  }

  /** As fetch; rejects with X402Error where a payment was refused or its outcome is not known. */
  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = await readRequest(input, init);
    const turn = { request, url: new URL(request.url), paymentsLeft: MAX_PAYMENTS };
    if (request.carriesPayment || !request.isReplayable || this.#options.dryRun) return this.#ask(turn, init);
    const unfinished = await this.#takeUnfinished(request);
    if (unfinished) return this.#present(turn, unfinished);
    return (await this.#payAtFirstTry(turn)) ?? this.#ask(turn, init);
  };

  /**
   * What a request would cost. Errors: `no_acceptable_offer` (nothing is asked for), `invalid_payment_required`,
   * `unsafe_redirect`, those of the journal; fetch's own.
   */
  readonly quote = async (input: RequestInfo | URL, init?: RequestInit): Promise<Judgement> => {
    const request = await readRequest(input, init);
    const response = await this.#options.fetch(request.url, attemptInit(request, {}));
    discardBody(response);
    const offer = parseOffer(response);
    if (offer.kind === 'malformed') throw offer.problem;
    if (offer.kind === 'offer') return this.#options.cashier.judge(offer.required, this.#payableUrl(request, response));
    const message = `${response.url} answered ${response.status} and asks for no payment`;
    throw new X402Error('no_acceptable_offer', { message });
  };

  /** The payment of an earlier identical request that is to be sent again. */
  async #takeUnfinished(request: ReplayableRequest): Promise<InFlightPayment | undefined> {
    for (;;) {
      const taken = this.#options.inFlight.take(fingerprint(request));
      if (!taken || (await this.#isUnfinished(taken, request))) return taken;
    }
  }

  /** An answered payment lacks only its receipt: it is finished once the own node has seen its end. */
  async #isUnfinished(taken: InFlightPayment, request: ReplayableRequest): Promise<boolean> {
    const { inFlight, algodOf } = this.#options;
    const algod = taken.isAnswered ? algodOf(taken.payment.network) : undefined;
    if (!algod) return true;
    try {
      taken.outcome = await paymentOutcome(taken.payment, algod, request.signal);
    } catch (aborted) {
      inFlight.keep(fingerprint(request), taken);
      throw aborted;
    }
    await this.#recordOutcome(taken);
    return taken.outcome.state === 'open';
  }

  /** Sends the request without a payment, and pays if it is asked to. */
  async #ask(turn: Turn, init: RequestInit | undefined): Promise<Response> {
    const { request } = turn;
    const { signal, isReplayable, url } = request;
    const changes = { ...(signal && { signal }), ...(!isReplayable && { body: init?.body ?? null }) };
    const response = await this.#options.fetch(url, attemptInit(request, changes));
    return request.carriesPayment ? response : this.#answerOffer(turn, response);
  }

  /** Pays what a response asks for; any other response is the caller's. */
  async #answerOffer(turn: Turn, response: Response): Promise<Response> {
    const offer = parseOffer(response, this.#knownOffers.decode);
    // A HEAD tells what a GET would cost; paid or not, it brings nothing.
    if (offer.kind === 'none' || turn.request.method === 'HEAD') return response;
    if (offer.kind === 'malformed') return report(response, { problem: offer.problem });
    const chosen = await this.#choose(turn, response, offer.required);
    if (this.#options.dryRun) return report(response, { offer: chosen });
    discardBody(response);
    if (!turn.request.isReplayable) throw new X402Error('body_not_replayable');
    return this.#pay({ ...turn, url: chosen.url }, chosen);
  }

  /** Chooses among the offers of a response. If all are refused, nobody gets to see its body. */
  async #choose(turn: Turn, response: Response, required: PaymentRequired): Promise<ChosenOffer> {
    try {
      return await this.#options.cashier.choose(
        required,
        this.#payableUrl(turn.request, response),
        turn.request.signal,
      );
    } catch (refusal) {
      discardBody(response);
      throw refusal;
    }
  }

  async #pay(turn: Turn, offer: ChosenOffer): Promise<Response> {
    const { method, signal } = turn.request;
    let inFlight: InFlightPayment;
    try {
      inFlight = await this.#options.cashier.pay(offer, method, signal);
    } catch (error) {
      const other = isX402Error(error, 'network_mismatch') && (await this.#chooseElsewhere(offer, signal));
      if (!other) throw error;
      return this.#pay(turn, other);
    }
    return this.#present({ ...turn, paymentsLeft: turn.paymentsLeft - 1 }, inFlight, offer);
  }

  /** The next best offer, on another network than one that the configured algod turned out not to belong to. */
  async #chooseElsewhere(offer: ChosenOffer, signal: AbortSignal | undefined): Promise<ChosenOffer | undefined> {
    const { required, requirements, url } = offer;
    const accepts = required.accepts.filter(({ network }) => !networksEqual(network, requirements.network));
    try {
      return await this.#options.cashier.choose({ ...required, accepts }, url, signal);
    } catch (error) {
      if (isX402Error(error)) return undefined;
      throw error;
    }
  }

  async #present(turn: Turn, inFlight: InFlightPayment, offer?: ChosenOffer): Promise<Response> {
    const { request } = turn;
    let presented: Presented;
    try {
      presented = await presentPayment(request, inFlight, this.#options);
    } catch (error) {
      this.#options.inFlight.keep(fingerprint(request), inFlight);
      throw error;
    } finally {
      await this.#recordOutcome(inFlight);
    }
    const isRefused = presented.response.status === 402;
    if (isRefused && inFlight.outcome.state === 'expired' && turn.paymentsLeft > 0) {
      return this.#payAnew(turn, inFlight, presented.response);
    }
    return this.#finish(turn, inFlight, presented, offer);
  }

  /** Pays what a refusal asks for, in place of a payment that expired. */
  async #payAnew(turn: Turn, { payment }: InFlightPayment, refusal: Response): Promise<Response> {
    try {
      await this.#options.cashier.refresh(payment.network, turn.request.signal);
    } catch (failure) {
      discardBody(refusal);
      throw failure;
    }
    return this.#answerOffer(turn, refusal);
  }

  /** Hands the answer over. Unless it is what was paid for, the payment is kept for the next identical request. */
  async #finish(turn: Turn, inFlight: InFlightPayment, presented: Presented, offer?: ChosenOffer): Promise<Response> {
    const { request } = turn;
    const { response, settlement } = presented;
    const { spending } = this.#options;
    const settled = settlement?.success === true;
    // The answer is for the record; a journal that fails now must not cost the response that was paid for.
    await spending.answered(inFlight.payment, response.status, settled).catch(() => {});
    const isDelivered = response.ok || (settled && response.status >= 300 && response.status < 400);
    inFlight.isAnswered = isDelivered;
    const keep = (): void => this.#options.inFlight.keep(fingerprint(request), inFlight);
    const isDone = isDelivered && settled;
    if (!isDone) keep();
    const cutOff = (): void => {
      inFlight.isAnswered = false;
      if (isDone) keep();
    };
    this.#rememberOffer(turn, response, offer?.required);
    const { payment, outcome } = inFlight;
    const facts = { payment, outcome, ...(offer && { offer }), ...(settlement && { settlement }) };
    return report(isDelivered ? watchBody(response, cutOff) : response, facts);
  }

  async #recordOutcome({ payment, outcome }: InFlightPayment): Promise<void> {
    const { spending } = this.#options;
    if (outcome.state === 'confirmed') await spending.confirmed(payment, outcome.round).catch(() => {});
    if (outcome.state === 'expired') await spending.expired(payment).catch(() => {});
  }

  async #payAtFirstTry(turn: Turn): Promise<Response | undefined> {
    const { remembered, cashier } = this.#options;
    const { method, signal } = turn.request;
    const required = remembered?.get(method, turn.url.href);
    if (!remembered || !required) return undefined;
    try {
      return await this.#pay(turn, await cashier.choose(required, turn.url, signal));
    } catch (error) {
      // What was refused for a remembered offer may be right for the present one.
      if (!isX402Error(error, 'spend_limit_exceeded') && !isX402Error(error, 'no_acceptable_offer')) throw error;
      remembered.forget(method, turn.url.href);
      return undefined;
    }
  }

  #rememberOffer({ request, url }: Turn, response: Response, required: PaymentRequired | undefined): void {
    const { remembered } = this.#options;
    if (!response.ok) remembered?.forget(request.method, url.href);
    else if (required) remembered?.remember(request.method, url.href, required);
  }

  /** Who made the offer. An offer behind a redirect is paid only where the caller would expect to be led. */
  #payableUrl(request: ReplayableRequest, response: Response): URL {
    const asked = new URL(request.url);
    const answered = new URL(response.url === '' ? request.url : response.url);
    const isSafeMethod = request.method === 'GET' || request.method === 'HEAD';
    const isExpected = isSameParty(asked, answered) || this.#options.policy.namesOrigin(answered.origin);
    // A redirect may have turned another method into GET.
    if (isExpected && (isSafeMethod || withoutFragment(answered) === withoutFragment(asked))) return answered;
    throw new X402Error('unsafe_redirect', {
      message: `${asked.origin} redirects to ${answered.origin + answered.pathname}, which asks for payment; ask there directly`,
    });
  }
}

function withoutFragment({ href }: URL): string {
  return href.split('#', 1)[0] ?? href;
}

/** The same origin, or its encrypted form. */
export function isSameParty(asked: URL, answered: URL): boolean {
  if (asked.origin === answered.origin) return true;
  return asked.protocol === 'http:' && answered.protocol === 'https:' && asked.hostname === answered.hostname;
}
