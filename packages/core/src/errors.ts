import { batchSettlementErrors } from './errors/batch-settlement.ts';
import { clientErrors } from './errors/client.ts';
import type { ErrorDescription } from './errors/description.ts';
import { exactErrors } from './errors/exact.ts';
import { facilitatorErrors } from './errors/facilitator.ts';
import { inputErrors } from './errors/input.ts';
import { serverErrors } from './errors/server.ts';
import { settlementErrors } from './errors/settlement.ts';
import { schemeCode, type SharedReason } from './errors/shared-reasons.ts';
import { uptoErrors } from './errors/upto.ts';

export { type ErrorDescription, schemeCode, type SharedReason };

/** Every error that avm402 throws or answers: its code, meaning, remedy, HTTP status, and whether a retry can help. */
export const errorCatalogue = {
  ...settlementErrors,
  ...exactErrors,
  ...batchSettlementErrors,
  ...uptoErrors,
  ...facilitatorErrors,
  ...serverErrors,
  ...clientErrors,
  ...inputErrors,
} as const satisfies Readonly<Record<string, ErrorDescription>>;

/** The codes of the catalogue, as a closed union. */
export type X402ErrorCode = keyof typeof errorCatalogue;

type SchemeOf<Code> = Code extends `invalid_${infer Scheme}_avm_${SharedReason}` ? Scheme : never;

/** The schemes as error codes name them. */
export type SchemeInCodes = SchemeOf<X402ErrorCode>;

/** Facts about one error that are safe to show: never a secret, never the body of an upstream answer. */
export type ErrorDetails = Readonly<Record<string, string | number>>;

export interface X402ErrorOptions {
  /** What was wrong this time. Default: the catalogue's meaning. */
  readonly message?: string;
  /** What to do this time. Default: the catalogue's remedy. */
  readonly remedy?: string;
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/** Marks our errors across copies of this package, where `instanceof` fails. */
const BRAND = Symbol.for('@avm402/core/X402Error');

/** The only error class of the payment packages: `code` says what happened, the catalogue says what to do. */
export class X402Error extends Error {
  override readonly name = 'X402Error';
  readonly code: X402ErrorCode;
  readonly details: ErrorDetails;
  /** What the person who sees the error can do about it. A member of its own, so that Node prints it with an error that nobody catches. */
  readonly remedy: string;
  /** The whole stack, if `stack` begins where our package was called. Not enumerable, so that nothing prints it unasked. */
  declare readonly innerStack?: string;

  constructor(code: X402ErrorCode, options: X402ErrorOptions = {}) {
    const message = options.message ?? errorCatalogue[code].meaning;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.remedy = options.remedy ?? errorCatalogue[code].remedy;
  }

  get [BRAND](): true {
    return true;
  }

  /**
   * `refusal`: the fault is in what was sent. `trouble`: the fault is with the side that answers; nothing is known
   * about what was sent.
   */
  get kind(): 'refusal' | 'trouble' {
    return errorCatalogue[this.code].httpStatus < 500 ? 'refusal' : 'trouble';
  }

  /** A copy of the error with more details. */
  with(details: ErrorDetails): X402Error {
    const { code, message, remedy, cause } = this;
    return new X402Error(code, { message, remedy, details: { ...this.details, ...details }, cause });
  }

  /** Whether the same call can succeed later without a change. */
  get retryable(): boolean {
    return errorCatalogue[this.code].retryable;
  }
}

/** Whether a caught value is one of our errors and, if a code is given, has that code. */
export function isX402Error(value: unknown, code?: X402ErrorCode): value is X402Error {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return code === undefined || ('code' in value && value.code === code);
}

/** Whether a text from outside is a code of the catalogue. */
export function isX402ErrorCode(text: string): text is X402ErrorCode {
  return Object.hasOwn(errorCatalogue, text);
}
