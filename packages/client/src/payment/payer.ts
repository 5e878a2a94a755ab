import { shownTransaction as showTransaction } from '@avm402/algorand/shown-transaction';
import { blaming } from '@avm402/core/blame-caller';
import { LONGEST_TIMER_MS } from '@avm402/core/durations';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequired } from '@avm402/core/payment-required';
import { noTrace, type Trace } from '@avm402/core/trace';
import type { OpenChannelsOptions } from '../channels/open-channels.ts';
import type { PayerChannels } from '../channels/payer-channels.ts';
import type { SendOptions } from '../http/send-until-answered.ts';
import { PaymentFactory } from './payment-factory.ts';
import { checkOptions, type PayingFetchOptions } from './payer-options.ts';
import type { Quote } from '../offers/choose-offer.ts';
import { LazyChannels } from './lazy-channels.ts';
import { UnfinishedPayments } from './unfinished-payments.ts';
import { algodOfNetworks, type AlgodOf } from '../own-node/network-access.ts';
import { avmPaymentMaker, BY_KEY, mandatePaymentMaker, type PaymentMaker } from './payment-maker.ts';
import { stockPaymentMaker } from './stock-payment-maker.ts';
import { RememberedOffers } from '../offers/remembered-offers.ts';
import { RequestLoop } from './request-loop.ts';
import { sleep } from '../http/waiting.ts';
import { Spending } from '../budget/spending.ts';
import { BY_CHANNEL, hasBudget, SpendPolicy } from '../budget/spend-policy.ts';
import type { UnitSpending } from '../budget/spending-report.ts';
import { USD } from '../budget/cost.ts';

/** Stands for the URL of an offer whose source is unknown. */
const UNKNOWN_URL = new URL('stdin:');
const DEFAULT_RECOVER_MS = 30_000;
const platformRandom = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/** Pays, quotes and signs with one account and one budget. */
export interface Payer {
  /** The paying fetch, as {@link createPayingFetch} makes it. */
  readonly fetch: typeof fetch;
  /**
   * Sends a request without payment and says what it would cost. Pays nothing.
   * @throws X402Error `nothing_to_pay`, `invalid_payment_required`, `unsafe_redirect`, `journal_unavailable`,
   * `journal_corrupt`
   */
  quote(input: RequestInfo | URL, init?: RequestInit): Promise<Quote>;
  /**
   * Signs a payment of an offer, however it was received, and sends nothing. Resolves to the value of
   * PAYMENT-SIGNATURE: treat it as money. It counts against the budgets like any payment that left.
   * @throws X402Error `spend_limit_exceeded`, `no_acceptable_offer`, `offer_declined`, and whatever keeps a payment from
   * being made
   */
  sign(required: PaymentRequired, signal?: AbortSignal): Promise<string>;
  /**
   * What was spent in the last hour and in the last 24 hours, where, and what the limits still allow; asks your algod
   * first about payments that are not confirmed. Counts what a journal remembers, or what a limit over time watches.
   * @throws X402Error `invalid_spend_options` if there is neither, `journal_unavailable`, `journal_corrupt`
   */
  spending(): Promise<readonly UnitSpending[]>;
  /** Operations on its channels; undefined without the option `channels`. */
  readonly channels: PayerChannels | undefined;
  /**
   * Ends the work in the background: waits at most `graceMs` milliseconds for your algod, then stops asking it, and
   * stores the state of the channels.
   */
  finish(graceMs: number): Promise<void>;
}

/**
 * Makes a `fetch` that pays when a server answers 402: within limits, and at most once for one request. A response that
 * asks for nothing, and a 402 that is not x402, come back untouched.
 *
 * @example
 * ```ts
 * import { createPayingFetch, parseAccount, settlementOf } from '@avm402/client';
 *
 * const fetchPaid = createPayingFetch({
 *   account: parseAccount('… 25 words …'),
 *   networks: { 'algorand:*': { url: 'https://algod.example' } },
 *   spend: { perPayment: '$0.10', perDay: '$5' },
 * });
 * const response = await fetchPaid('https://api.example/weather');
 * console.log(settlementOf(response)?.transaction);
 * ```
 *
 * @throws X402Error `invalid_price`, `price_too_precise`, `price_not_positive`, `invalid_network`,
 * `unsupported_network`, `invalid_spend_options`; AlgorandError `invalid_key` (not an account), `invalid_address`,
 * `invalid_algod_options`. The fetch itself rejects with X402Error where nothing was paid (`spend_limit_exceeded`,
 * `no_acceptable_offer`, `offer_declined`, `body_not_replayable`, `unsafe_redirect`, or what kept the payment from
 * being made), and where the answer to a payment is missing (`payment_settled_without_response`,
 * `payment_outcome_unknown`).
 */
export function createPayingFetch(options: PayingFetchOptions): typeof fetch {
  return blaming(createPayingFetch, () => payerOf(options).fetch);
}

/**
 * Makes a payer: a paying fetch, and the other functions that share its account and budget.
 *
 * @example
 * ```ts
 * import { createPayer, parseAccount } from '@avm402/client';
 *
 * const payer = createPayer({ account: parseAccount('… 25 words …') });
 * const { chosen } = await payer.quote('http://127.0.0.1:4021/weather');
 * if (chosen) console.log(chosen.price);
 * await payer.finish(1_000); // let go of your algod, so that the program can end
 * ```
 *
 * @throws as {@link createPayingFetch}
 */
export function createPayer(options: PayingFetchOptions): Payer {
  return blaming(createPayer, () => payerOf(options));
}

function payerOf(options: PayingFetchOptions): Payer {
  checkOptions(options);
  const { random = platformRandom, now = Date.now, journal, onOffer, onPayment, onOutcome } = options;
  const algodOf = algodOfNetworks(options.networks ?? {});
  const maker = paymentMaker(options, algodOf);
  const policy = new SpendPolicy(options.spend, schemesOf(options));
  const spending = new Spending({ policy, algodOf, now, onOutcome, ...(journal && { journal }) });
  const sending = sendOptions(options, now);
  const remembered = new RememberedOffers(now);
  const channels = lazyChannels(options, { ...sending, policy, spending, algodOf, random, remembered });
  const factory = new PaymentFactory({ maker, policy, spending, algodOf, random, now, onOffer, onPayment, channels });
  const loop = new RequestLoop({
    ...sending,
    factory,
    policy,
    mostPayments: maker.mostPayments,
    spending,
    unfinished: new UnfinishedPayments({ now, payer: maker.payer, sealed: journal?.sealed }),
    remembered,
    preempt: options.preempt ?? false,
    channels,
    dryRun: options.dryRun ?? false,
    trace: traceOf(options),
  });
  return {
    fetch: loop.fetch,
    quote: loop.quote,
    sign: async ({ accepts, ...required }, signal) => {
      // A voucher is worth nothing without its channel.
      const offers = { ...required, accepts: accepts.filter(({ scheme }) => scheme !== BY_CHANNEL) };
      return (await factory.pay(await factory.choose(offers, UNKNOWN_URL, signal), { method: '', signal })).proof
        .header;
    },
    spending: async () => {
      requireCounted(options, policy);
      await spending.load();
      await spending.reconcile();
      return spending.report();
    },
    channels: channels?.owned,
    finish: async (graceMs) => {
      await Promise.all([channels?.save(), spending.finish(graceMs)]);
    },
  };
}

/** @throws X402Error `invalid_spend_options` */
function requireCounted({ journal, spend }: PayingFetchOptions, policy: SpendPolicy): void {
  const assets = spend?.assets ?? [];
  const limits = [
    policy.limitsOf({ unit: USD, amount: 0n }),
    ...assets.flatMap((a) => ('limits' in a ? a.limits : [])),
  ];
  if (journal || limits.some(hasBudget)) return;
  const message = 'nothing is counted: pass a journal, or set perHour, perDay or perOrigin';
  throw new X402Error('invalid_spend_options', { message });
}

/** The schemes that are paid. */
function schemesOf({ account, channels }: PayingFetchOptions): string[] {
  const own = ['exact', ...(account && 'sign' in account ? BY_KEY.keys() : [])];
  return channels ? [...own, BY_CHANNEL] : own;
}

/** Starts the trace of a request. A page without a tracer does not load the code that records spans. */
function traceOf({ tracer, traceDetails: details }: PayingFetchOptions): () => Promise<Trace> {
  return async () => {
    if (!tracer) return noTrace;
    const { startTrace } = await import('@avm402/core/start-trace');
    return startTrace({ tracer, details, showTransaction });
  };
}

function sendOptions({ fetch, recoverMs }: PayingFetchOptions, now: () => number): SendOptions {
  return {
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    recoverMs: Math.min(recoverMs ?? DEFAULT_RECOVER_MS, LONGEST_TIMER_MS),
    now,
    sleep,
  };
}

/** The channels of a payer that has them. */
function lazyChannels(
  options: PayingFetchOptions,
  parts: Omit<OpenChannelsOptions, 'account' | 'deposits' | 'store' | 'onOffer' | 'onPayment'>,
): LazyChannels | undefined {
  const { account, channels, onOffer, onPayment } = options;
  if (!account || !channels) return undefined;
  return new LazyChannels({ ...parts, account, deposits: channels, store: channels.store, onOffer, onPayment });
}

function paymentMaker(options: PayingFetchOptions, algodOf: AlgodOf): PaymentMaker {
  if (options.client) return stockPaymentMaker(options.client);
  const { account, random, now } = options;
  if (options.mandate) {
    const { mandate, agentKey, waitForSlotMs } = options;
    const sources = { ...(random && { random }), ...(now && { now }) };
    return mandatePaymentMaker({ mandate, agentKey, waitForSlotMs, algod: algodOf, ...sources });
  }
  if (!account) throw new TypeError('checkOptions lets no such options pass');
  return avmPaymentMaker({ account, algod: algodOf, ...(random && { random }), ...(now && { now }) });
}
