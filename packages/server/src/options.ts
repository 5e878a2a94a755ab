import { randomBytes } from 'node:crypto';
import { MAX_HEADER_BYTES } from '@avm402/core/headers';
import type { Tracer } from '@opentelemetry/api';
import { unknownName } from '@avm402/core/likely-name';
import type { PaymentGuard } from './exchange/payment-guard.ts';
import type { PaymentEvent } from './payment-event.ts';
import type { RedemptionStore } from './redemption/redemption-store.ts';
import type { PayingPage } from './page/paying-page.ts';
import type { AtRisk } from './risk/risk-bounds.ts';
import { invalidOption } from './invalid-option.ts';

/** Options of `paymentMiddleware` and `paid`. The defaults are safe in production with one server process. */
export interface PaymentOptions {
  /** The record of redeemed payments. Default: in memory. Processes that sell the same resources share one. */
  readonly store?: RedemptionStore;
  /**
   * Origin and path prefix of the URLs in offers, e.g. `https://api.example.com`. Default: a trusted proxy's, or the
   * socket's.
   */
  readonly publicUrl?: string;
  /** Whether a payment id is required. Default `optional`: a buyer without one can't collect a lost response. */
  readonly paymentId?: 'optional' | 'required';
  /**
   * What you carry on `accepted` routes, whose answers leave before the payment is in a block. Those routes need it; `{}`
   * takes the default bounds.
   */
  readonly atRisk?: AtRisk;
  /** Can refuse a payment before it is claimed. If it throws, no handler runs. */
  readonly beforePayment?: PaymentGuard;
  /** Lets people pay on the page that a browser gets with a 402: `payingPage()` of `@avm402/paying-page`. */
  readonly page?: PayingPage;
  /** Called for every event. Default: failures go to stderr. */
  readonly onEvent?: (event: PaymentEvent) => void;
  /** Records spans (OpenTelemetry): docs/telemetry.md. Default: nothing is recorded. */
  readonly tracer?: Tracer;
  /** Whether spans also include the messages and checks, without secrets. Default false. */
  readonly traceDetails?: boolean;
  /** Largest response that is held until it is paid for, in bytes. Default 10 MiB. */
  readonly maxHeldBytes?: number;
  /**
   * Bytes of one payer's held responses together; a response that does not fit becomes an uncharged 503. The same limit
   * applies to each peer's request bodies that are read to tell requests apart. Default 64 MiB.
   */
  readonly maxHeldBytesPerPayer?: number;
  /** Bytes of all held responses together; the same limit applies to all request bodies. Default 256 MiB. */
  readonly maxHeldBytesInTotal?: number;
  /** Largest response that is stored for a buyer who comes back, in bytes. Default 1 MiB. */
  readonly maxStoredBytes?: number;
  /** How long a response is stored, in milliseconds. Default 15 minutes. */
  readonly storedForMs?: number;
  /** Time for a handler to answer, in milliseconds. Default: the offer's `maxTimeoutSeconds`. */
  readonly handlerTimeoutMs?: number;
  /** Payments of one payer that are served at the same time. Default 64. */
  readonly maxPaymentsPerPayer?: number;
  /** Verifications that run at the same time. Sixteen times as many may wait. Default 64. */
  readonly maxVerifications?: number;
  /** Longest payment header, in characters. Default 16,384. */
  readonly maxHeaderBytes?: number;
  /** Time for a verification, in milliseconds. Default 10,000. */
  readonly verifyTimeoutMs?: number;
  /** Time for a settlement with all its attempts, in milliseconds. Default 60,000. */
  readonly settleTimeoutMs?: number;
  /** How long a request waits for another request with the same payment, in milliseconds. Default 60,000. */
  readonly maxWaitMs?: number;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** A clock that never goes back, in milliseconds. Default `performance.now`. */
  readonly monotonicNow?: () => number;
  readonly randomBytes?: (length: number) => Uint8Array;
}

const DEFAULTS = {
  paymentId: 'optional',
  traceDetails: false,
  maxHeldBytes: 10 * 1024 * 1024,
  maxHeldBytesPerPayer: 64 * 1024 * 1024,
  maxHeldBytesInTotal: 256 * 1024 * 1024,
  maxStoredBytes: 1024 * 1024,
  storedForMs: 15 * 60_000,
  maxPaymentsPerPayer: 64,
  maxVerifications: 64,
  maxHeaderBytes: MAX_HEADER_BYTES,
  verifyTimeoutMs: 10_000,
  settleTimeoutMs: 60_000,
  maxWaitMs: 60_000,
  now: Date.now,
  monotonicNow: () => performance.now(),
  randomBytes,
} as const satisfies PaymentOptions;

const OPTIONAL = [
  'store',
  'publicUrl',
  'atRisk',
  'beforePayment',
  'page',
  'onEvent',
  'tracer',
  'handlerTimeoutMs',
] as const;

type Kind = readonly [kind: string, fits: (value: unknown) => boolean];

const work: Kind = ['a function', (value) => typeof value === 'function'];
const yesOrNo: Kind = ['true or false', (value) => typeof value === 'boolean'];
const withMethod = (what: string, method: string): Kind => [
  `${what}, with ${method}()`,
  (value) => typeof Object(value)[method] === 'function',
];

/** What an option must be that is no number and no text. Of a wrong one nobody would know before the first payment. */
const KINDS: Readonly<Record<string, Kind>> = {
  store: withMethod('a redemption store', 'put'),
  beforePayment: work,
  page: withMethod('payingPage()', 'on'),
  onEvent: work,
  tracer: withMethod('a tracer', 'startSpan'),
  traceDetails: yesOrNo,
  now: work,
  monotonicNow: work,
  randomBytes: work,
};

/** The options with their defaults. */
export type CompleteOptions = Required<Omit<PaymentOptions, (typeof OPTIONAL)[number]>> &
  Pick<PaymentOptions, (typeof OPTIONAL)[number]>;

/**
 * Checks options and adds the defaults. Unknown names are refused, because a mistyped limit would not apply.
 * @throws X402Error `invalid_option`
 */
export function parseOptions(options: PaymentOptions): CompleteOptions {
  for (const [name, value] of Object.entries(options)) checkOption(name, value);
  const { publicUrl, paymentId = DEFAULTS.paymentId } = options;
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#]+[^?#]*$/i.test(publicUrl)) {
    throw invalidOption('publicUrl', 'must be an http(s) URL without query, e.g. https://api.example.com');
  }
  if (paymentId !== 'optional' && paymentId !== 'required') {
    throw invalidOption('paymentId', 'must be "optional" or "required"');
  }
  return { ...DEFAULTS, ...withoutUndefined(options) };
}

function checkOption(name: string, value: unknown): void {
  const known = [...Object.keys(DEFAULTS), ...OPTIONAL];
  if (!known.includes(name)) throw invalidOption(name, unknownName(name, known));
  if (value === undefined) return;
  // A string would not limit anything: no number is above it.
  if (isCount(name) && !(Number.isSafeInteger(value) && Number(value) > 0)) {
    throw invalidOption(name, `must be a whole number above 0`);
  }
  const [kind, fits] = KINDS[name] ?? [];
  if (fits && !fits(value)) throw invalidOption(name, `must be ${kind}`);
}

/** Whether an option is a number, such as a count of bytes or milliseconds. */
function isCount(name: string): boolean {
  return name === 'handlerTimeoutMs' || typeof Reflect.get(DEFAULTS, name) === 'number';
}

function withoutUndefined(options: PaymentOptions): PaymentOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
