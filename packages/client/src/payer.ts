import type { Account } from '@avm402/algorand/account';
import { ExactAvmClient, type TransactionWallet } from '@avm402/avm/exact/client';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequired } from '@avm402/core/payment-required';
import { Cashier } from './payment/cashier.ts';
import type { ChosenOffer, Judgement } from './offers/choose-offer.ts';
import { UnfinishedPayments } from './payment/unfinished-payments.ts';
import { algodOfNetworks, type AlgodOf, type NetworkAccess } from './own-node/network-access.ts';
import type { PaymentJournal } from './journal/payment-journal.ts';
import { avmPaymentMaker, stockPaymentMaker, type PaymentMaker, type StockClient } from './payment/payment-maker.ts';
import { RememberedOffers } from './offers/remembered-offers.ts';
import { RequestLoop } from './payment/request-loop.ts';
import type { SentPayment } from './journal/sent-payment.ts';
import { sleep } from './http/sleep.ts';
import { Spending } from './budget/spending.ts';
import { SpendPolicy, type SpendOptions } from './budget/spend-policy.ts';

interface CommonOptions {
  /**
   * The caller's own algod of each network: CAIP-2 ids or `algorand:*`. It alone says whether a payment is dead.
   * Default: none but the development network's, on this machine's port 4001.
   */
  readonly networks?: Readonly<Record<string, NetworkAccess>>;
  /** What may be spent. Default: at most $1 a payment, in USDC. */
  readonly spend?: SpendOptions;
  /** Remembers payments beyond this process, so that budgets survive it. */
  readonly journal?: PaymentJournal;
  /** Decides on the offer that was chosen, before anything is signed. */
  readonly onOffer?: (offer: ChosenOffer) => boolean | Promise<boolean>;
  /** Told of each payment before it leaves. */
  readonly onPayment?: (payment: SentPayment, offer: ChosenOffer) => void;
  /** Pay at the first try where the same route was paid before. Default false. */
  readonly preempt?: boolean;
  /** Choose, but do not pay: the 402 comes back, and `reportOf(response)` says what would be paid. Default false. */
  readonly dryRun?: boolean;
  /** Time to find out what became of a payment whose answer is missing. Default 30,000 ms. */
  readonly recoverMs?: number;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Cryptographically random bytes. Default: the platform's. */
  readonly random?: (bytes: number) => Uint8Array;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

export type PayingFetchOptions = CommonOptions &
  (
    | {
        /** Who pays: an account with its key, or a wallet that signs. */
        readonly account: Account | TransactionWallet;
        readonly client?: never;
      }
    | {
        /** A stock `x402Client` (or `x402HTTPClient`) that makes the payments; what guards the money stays here. */
        readonly client: StockClient;
        readonly account?: never;
      }
  );

/** Where an offer comes from that was handed in. */
const NOWHERE = new URL('stdin:');
const DEFAULT_RECOVER_MS = 30_000;
const platformRandom = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/** A paying fetch, and the end of what goes on behind its answers. */
export interface Payer {
  readonly fetch: typeof fetch;
  /**
   * Asks what a request would cost, and pays nothing. Errors: `no_acceptable_offer` (nothing is asked for),
   * `invalid_payment_required`, `unsafe_redirect`, those of the journal; fetch's own.
   */
  quote(input: RequestInfo | URL, init?: RequestInit): Promise<Judgement>;
  /**
   * Signs a payment of an offer that came from anywhere, and sends nothing. Resolves to the value of PAYMENT-SIGNATURE:
   * whoever has it can hand in the payment. Errors: as the paying fetch's.
   */
  sign(required: PaymentRequired, signal?: AbortSignal): Promise<string>;
  /** Waits until nothing more is asked of the own node, so long at most; then the asking is given up. */
  finish(graceMs: number): Promise<void>;
}

/**
 * A `fetch` that pays for what answers 402, within limits, and at most once for one request. A 402 that is not x402
 * comes back untouched. It rejects with X402Error where a payment was refused (`spend_limit_exceeded`,
 * `no_acceptable_offer`, `offer_declined`, `body_not_replayable`, `unsafe_redirect`), could not be made (errors of the
 * scheme, of algod and of the wallet), or where its answer is lost (`payment_outcome_unknown`,
 * `payment_settled_without_response`); anything else is as with `fetch`.
 */
export function createPayingFetch(options: PayingFetchOptions): typeof fetch {
  return createPayer(options).fetch;
}

/** The same for a program that ends. */
export function createPayer(options: PayingFetchOptions): Payer {
  const { random = platformRandom, now = Date.now, journal, onOffer, onPayment } = options;
  const algodOf = algodOfNetworks(options.networks ?? {});
  const policy = new SpendPolicy(options.spend);
  const spending = new Spending({ policy, algodOf, now, ...(journal && { journal }) });
  const maker = paymentMaker(options, algodOf);
  const cashier = new Cashier({ maker, policy, spending, algodOf, random, now, onOffer, onPayment });
  const loop = new RequestLoop({
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    cashier,
    policy,
    spending,
    unfinished: new UnfinishedPayments(now),
    remembered: options.preempt === true ? new RememberedOffers(now) : undefined,
    algodOf,
    dryRun: options.dryRun ?? false,
    recoverMs: options.recoverMs ?? DEFAULT_RECOVER_MS,
    now,
    sleep,
  });
  return {
    fetch: loop.fetch,
    quote: loop.quote,
    sign: async (required, signal) =>
      (await cashier.pay(await cashier.choose(required, NOWHERE, signal), '', signal)).proof.header,
    finish: (graceMs) => spending.finish(graceMs),
  };
}

function paymentMaker(options: PayingFetchOptions, algodOf: AlgodOf): PaymentMaker {
  if (options.client) return stockPaymentMaker(options.client);
  const { account, random, now } = options;
  if (!account)
    throw new X402Error('invalid_spend_options', { message: 'name who pays: an account, or a stock client' });
  const scheme = new ExactAvmClient({ account, algod: algodOf, ...(random && { random }), ...(now && { now }) });
  return avmPaymentMaker(scheme);
}
