import { randomBytes } from 'node:crypto';
import { MAX_HEADER_BYTES } from '@avm402/core/headers';
import type { Tracer } from '@opentelemetry/api';
import { anything, count, type Kinds, objectWith, work, yesOrNo } from '@avm402/core/option-kinds';
import type { PaymentGuard } from './exchange/payment-guard.ts';
import type { PaymentEvent } from './payment-event.ts';
import type { RedemptionStore } from './redemption/redemption-store.ts';
import type { PayingPage } from './page/paying-page.ts';
import type { AtRisk } from './risk/risk-bounds.ts';
import { checkOptions } from './invalid-option.ts';

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

const KINDS: Kinds<PaymentOptions> = {
  store: objectWith('put'),
  publicUrl: {
    words: 'an http(s) URL without query, e.g. https://api.example.com',
    fits: (value) => typeof value === 'string' && /^https?:\/\/[^/?#]+[^?#]*$/i.test(value) && URL.canParse(value),
  },
  paymentId: { words: '"optional" or "required"', fits: (value) => value === 'optional' || value === 'required' },
  atRisk: anything,
  beforePayment: work,
  page: objectWith('on'),
  onEvent: work,
  tracer: objectWith('startSpan'),
  traceDetails: yesOrNo,
  maxHeldBytes: count,
  maxHeldBytesPerPayer: count,
  maxHeldBytesInTotal: count,
  maxStoredBytes: count,
  storedForMs: count,
  handlerTimeoutMs: count,
  maxPaymentsPerPayer: count,
  maxVerifications: count,
  maxHeaderBytes: count,
  verifyTimeoutMs: count,
  settleTimeoutMs: count,
  maxWaitMs: count,
  now: work,
  monotonicNow: work,
  randomBytes: work,
};

/** The options with their defaults. */
export type CompleteOptions = PaymentOptions & Required<Pick<PaymentOptions, keyof typeof DEFAULTS>>;

/**
 * Checks options and adds the defaults.
 * @throws X402Error `invalid_option`
 */
export function parseOptions(options: PaymentOptions): CompleteOptions {
  checkOptions(options, KINDS);
  return { ...DEFAULTS, ...withoutUndefined(options) };
}

function withoutUndefined(options: PaymentOptions): PaymentOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
