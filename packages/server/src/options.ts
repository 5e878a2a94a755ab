import { randomBytes } from 'node:crypto';
import { X402Error } from '@avm402/core/errors';
import { MAX_HEADER_BYTES } from '@avm402/core/headers';
import { unknownName } from './likely-name.ts';
import type { PaymentGuard } from './payment-guard.ts';
import type { PaymentEvent } from './payment-event.ts';
import type { RedemptionStore } from './redemption/redemption-store.ts';

/** How payments are taken. Everything has a default that is safe in production with one server process. */
export interface PaymentOptions {
  /** Record of redeemed payments. Default: in this process. Servers that sell the same resources share one. */
  readonly store?: RedemptionStore;
  /** Origin (and path prefix) that offers name, e.g. `https://api.example.com`. Default: a trusted proxy's, or the socket's. */
  readonly publicUrl?: string;
  /** Whether a buyer must send a payment id. Default `optional`: a buyer without one can't come back for a lost response. */
  readonly paymentId?: 'optional' | 'required';
  /** Refuses payments before they are claimed. If it throws, nothing runs. */
  readonly beforePayment?: PaymentGuard;
  /** Told of everything that happens. Default: trouble of our own goes to stderr. */
  readonly onEvent?: (event: PaymentEvent) => void;
  /** Bytes of a response that are held until it is paid. Default 10 MiB. */
  readonly maxHeldBytes?: number;
  /** Bytes of all held responses of one payer; what does not fit is answered 503, uncharged. Default 64 MiB. */
  readonly maxHeldBytesPerPayer?: number;
  /** Bytes of all held responses. Default 256 MiB. */
  readonly maxHeldBytesInTotal?: number;
  /** Bytes of a response that are kept for a buyer who comes back. Default 1 MiB. */
  readonly maxStoredBytes?: number;
  /** Milliseconds for which it is kept. Default 15 minutes. */
  readonly storedForMs?: number;
  /** Milliseconds until the payment header's handler must have answered. Default: the offer's maxTimeoutSeconds. */
  readonly handlerTimeoutMs?: number;
  /** Payments of one payer at work at the same time. Default 64. */
  readonly maxPaymentsPerPayer?: number;
  /** Verifications under way at the same time; sixteen times as many wait for their turn. Default 64. */
  readonly maxVerifications?: number;
  /** Characters of a payment header that are read. Default 16,384. */
  readonly maxHeaderBytes?: number;
  /** Milliseconds for a verification. Default 10,000. */
  readonly verifyTimeoutMs?: number;
  /** Milliseconds for a settlement with all its attempts. Default 60,000. */
  readonly settleTimeoutMs?: number;
  /** Milliseconds that a request waits for another one with the same payment. Default 60,000. */
  readonly maxWaitMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds by a clock that nobody sets. Default: `performance.now`. */
  readonly monotonicNow?: () => number;
  readonly randomBytes?: (length: number) => Uint8Array;
}

const DEFAULTS = {
  paymentId: 'optional',
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
  randomBytes: (length: number): Uint8Array => randomBytes(length),
} as const satisfies PaymentOptions;

const OPTIONAL = ['store', 'publicUrl', 'beforePayment', 'onEvent', 'handlerTimeoutMs'] as const;

/** The options with their defaults. */
export type CompleteOptions = Required<Omit<PaymentOptions, (typeof OPTIONAL)[number]>> &
  Pick<PaymentOptions, (typeof OPTIONAL)[number]>;

/**
 * Checks and completes options. An unknown name is refused: a mistyped limit would be no limit.
 * @throws X402Error `invalid_option`
 */
export function parseOptions(options: PaymentOptions): CompleteOptions {
  const known = [...Object.keys(DEFAULTS), ...OPTIONAL];
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) throw invalidOption(name, unknownName(name, known));
    if (typeof value === 'number' && !(Number.isSafeInteger(value) && value > 0)) {
      throw invalidOption(name, `must be a whole number above 0, not ${value}`);
    }
  }
  const { publicUrl, paymentId = DEFAULTS.paymentId } = options;
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#]+[^?#]*$/i.test(publicUrl)) {
    throw invalidOption('publicUrl', 'must be an http(s) URL without query, e.g. https://api.example.com');
  }
  if (paymentId !== 'optional' && paymentId !== 'required') {
    throw invalidOption('paymentId', 'must be "optional" or "required"');
  }
  return { ...DEFAULTS, ...withoutUndefined(options) };
}

function withoutUndefined(options: PaymentOptions): PaymentOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function invalidOption(name: string, why: string): X402Error {
  return new X402Error('invalid_option', { message: `option ${name} ${why}`, details: { option: name } });
}
