import type { Account } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import type { TransactionWallet, USDC_ASSETS } from '@avm402/avm/exact/client';
import { X402Error } from '@avm402/core/errors';
import {
  anything,
  count,
  type Kind,
  type Kinds,
  object,
  objectWith,
  text,
  wholeNumber,
  work,
  wrongOption,
  yesOrNo,
} from '@avm402/core/option-kinds';
import { parsePrice, USD_DECIMALS } from '@avm402/core/price';
import { quoted } from '@avm402/core/quoted';
import type { Tracer } from '@opentelemetry/api';
import type { AllowedAsset, AtomicLimits, SpendOptions } from '../budget/spend-policy.ts';
import type { ChannelStore } from '../channels/channel-store.ts';
import type { DepositOptions } from '../channels/deposit-policy.ts';
import type { PaymentJournal } from '../journal/payment-journal.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { Mandate } from '../mandate/mandate.ts';
import type { OnOffer, OnPayment } from '../offers/pay-offer.ts';
import type { NetworkAccess } from '../own-node/network-access.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { StockClient } from './stock-payment-maker.ts';

interface CommonOptions {
  /**
   * Your algod for each network: CAIP-2 ids or `algorand:*`. Only this node's word ends a payment whose answer is
   * missing. Default: the development node on port 4001 of this machine, for its own network.
   */
  readonly networks?: Readonly<Record<string, NetworkAccess>>;
  /** Spending limits. Default: at most $1 a payment, in USDC. */
  readonly spend?: SpendOptions;
  /** Remembers payments across processes, so that budgets outlive this one. */
  readonly journal?: PaymentJournal;
  /** Accepts or declines the chosen offer, before anything is signed. */
  readonly onOffer?: OnOffer;
  /** Called with each payment before it leaves. */
  readonly onPayment?: OnPayment;
  /**
   * Called with what your own node has seen of a payment whose response came before its block: it is in a block, it
   * expired, or its blocks are gone (`forgotten`). An error that it throws, or rejects with, is ignored.
   */
  readonly onOutcome?: (payment: SentPayment, outcome: PaymentOutcome) => void;
  /** Sends the payment with the first request if the same method and path was paid before. Default false. */
  readonly preempt?: boolean;
  /**
   * Chooses an offer, but doesn't pay it: the 402 comes back, and `reportOf(response)` has the chosen offer. Default
   * false.
   */
  readonly dryRun?: boolean;
  /** Time to find out what became of a payment whose answer is missing, ms. Default 30,000. */
  readonly recoverMs?: number;
  /**
   * Records OpenTelemetry spans, and sends sellers the trace context: docs/telemetry.md. Default: nothing is recorded.
   */
  readonly tracer?: Tracer;
  /** Whether spans also hold the messages, without their secrets. Default false. */
  readonly traceDetails?: boolean;
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
        /** The payer: an account with its key, or a wallet that signs. */
        readonly account: Account | TransactionWallet;
        /**
         * Pays through channels where sellers offer them: one deposit, then one signature per request. Default: no
         * channels.
         */
        readonly channels?: ChannelOptions;
        readonly client?: never;
        readonly mandate?: never;
      }
    | {
        /**
         * The mandate that pays (docs/mandates.md). The chain enforces its limits, even on a thief of the agent's key.
         * Limits of `spend` are checked first.
         */
        readonly mandate: Mandate;
        /** The agent's key, which the mandate names: `parseAccount(secret)`. */
        readonly agentKey: Account;
        /** How long a payment waits for a free slot before it fails with `mandate_exhausted`, ms. Default 0. */
        readonly waitForSlotMs?: number;
        readonly account?: never;
        readonly client?: never;
        readonly channels?: never;
      }
    | {
        /** A stock `x402Client` or `x402HTTPClient` that makes the payments. Limits and recovery stay here. */
        readonly client: StockClient;
        readonly account?: never;
        readonly mandate?: never;
        readonly channels?: never;
      }
  );

/** Options for channels. */
export interface ChannelOptions extends DepositOptions {
  /** Remembers channels across processes. Default: in memory. */
  readonly store?: ChannelStore;
}

type Members = Readonly<Record<string, unknown>>;

const list: Kind = { words: 'a list', fits: Array.isArray };
const texts: Kind = { words: 'a list of texts', fits: (value) => Array.isArray(value) && value.every(text.fits) };
const units: Kind = { words: 'a bigint from 0 up', fits: (value) => typeof value === 'bigint' && value >= 0n };
const algodClient = objectWith('params');
const PAYER: Kinds<PayingFetchOptions> = {
  // Checked where the payments are made.
  account: anything,
  client: objectWith('createPaymentPayload'),
  mandate: { words: 'a mandate: { address, config }', fits: (value) => text.fits(Object(value).address) },
  agentKey: objectWith('sign'),
  waitForSlotMs: wholeNumber,
  channels: object,
  networks: object,
  spend: object,
  journal: objectWith('read', 'append'),
  onOffer: work,
  onPayment: work,
  onOutcome: work,
  preempt: yesOrNo,
  dryRun: yesOrNo,
  recoverMs: wholeNumber,
  tracer: object,
  traceDetails: yesOrNo,
  fetch: work,
  random: work,
  now: work,
};
const NETWORK: Kinds<Exclude<NetworkAccess, AlgodClient>> = { url: text, token: text };
const SPEND: Kinds<SpendOptions> = {
  perPayment: text,
  perOrigin: text,
  perHour: text,
  perDay: text,
  assets: list,
  networks: texts,
  origins: texts,
  payTo: texts,
  maxTimeoutSeconds: wholeNumber,
  allowHttp: yesOrNo,
};
const ASSET: Kinds<AllowedAsset | (typeof USDC_ASSETS)[number]> = {
  symbol: text,
  network: text,
  asset: text,
  decimals: wholeNumber,
  limits: object,
};
const LIMITS: Kinds<AtomicLimits> = { perPayment: units, perOrigin: units, perHour: units, perDay: units };
const CHANNELS: Kinds<ChannelOptions> = {
  store: objectWith('read', 'write'),
  depositMultiple: count,
  maxDeposit: text,
};

/**
 * Refuses unknown names, also nested ones, and values of the wrong kind, because a mistyped limit would be no limit.
 * Messages show no values: one may be a secret in the wrong place.
 * @throws X402Error `invalid_spend_options`, which names the option; `invalid_price`, `price_too_precise`,
 * `price_not_positive`
 */
export function checkOptions(options: unknown): void {
  const given = object.fits(options) ? (options as Members) : {};
  if (['account', 'client', 'mandate'].every((name) => given[name] === undefined || given[name] === null)) {
    throw invalid('name who pays: { account: parseAccount(secret) }, a wallet, { mandate, agentKey } or { client }');
  }
  if (given['mandate'] !== undefined && given['agentKey'] === undefined) {
    throw invalid('option agentKey is missing: parseAccount(secret)');
  }
  const { spend, channels, networks } = check(given, PAYER, '');
  for (const [id, access] of Object.entries(networks ?? {})) {
    if (!algodClient.fits(access)) check(access, NETWORK, `networks[${quoted(id)}].`);
  }
  const { maxDeposit } = check(channels ?? {}, CHANNELS, 'channels.');
  // The code that reads it is loaded only with the first channel.
  if (typeof maxDeposit === 'string') parsePrice(maxDeposit, USD_DECIMALS);
  if (spend !== undefined) checkSpend(spend);
}

function checkSpend(spend: unknown): void {
  const { assets } = check(spend, SPEND, 'spend.');
  for (const [index, asset] of Object.entries(assets ?? [])) {
    const where = `spend.assets[${index}].`;
    const { limits } = check(asset, ASSET, where);
    if (limits !== undefined) check(limits, LIMITS, `${where}limits.`);
  }
}

/** The members of a value, if their names are known and their kinds are right. */
function check(value: unknown, kinds: Readonly<Record<string, Kind>>, where: string): Members {
  if (!object.fits(value)) throw invalid(`option ${where.slice(0, -1)} must be an object`);
  const members = value as Members;
  const wrong = wrongOption(members, kinds);
  if (wrong) throw invalid(`option ${where}${shownName(wrong.name)} ${wrong.why}`);
  return members;
}

/** A name as messages show it: a secret in the place of a name stays one. */
function shownName(name: string): string {
  return /^\w{1,40}$/.test(name) ? name : quoted(name);
}

function invalid(message: string): X402Error {
  return new X402Error('invalid_spend_options', { message });
}
