/** Everything that can go wrong, as a closed set of codes. Programs decide by the code; people read the message. */
export type AlgorandErrorCode =
  | 'algod_bad_answer'
  | 'algod_refused'
  | 'algod_timeout'
  | 'algod_unreachable'
  | 'invalid_address'
  | 'invalid_algod_options'
  | 'invalid_group'
  | 'invalid_key'
  | 'invalid_mnemonic'
  | 'invalid_msgpack'
  | 'invalid_multisig'
  | 'invalid_transaction'
  | 'not_canonical'
  | 'unknown_field'
  | 'unsupported_transaction_type';

export interface AlgorandErrorOptions {
  readonly cause?: unknown;
  /** The field at fault, as the input names it: a msgpack key when decoding, a property name when encoding. */
  readonly field?: string;
  /** HTTP status of algod's answer (`algod_refused`, `algod_bad_answer`). */
  readonly status?: number;
  /** algod's own message (`algod_refused`). */
  readonly reason?: string;
}

// Two copies of this package may be installed side by side, so errors are recognised by a brand, not by their class.
const BRAND = Symbol.for('@avm402/algorand/error');

/** An error with a code. Messages never hold a secret: not a word of a mnemonic, not a character of a key or token. */
export class AlgorandError extends Error {
  override readonly name = 'AlgorandError';
  readonly code: AlgorandErrorCode;
  declare readonly field?: string;
  declare readonly status?: number;
  declare readonly reason?: string;

  constructor(code: AlgorandErrorCode, message: string, { cause, ...details }: AlgorandErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    Object.assign(this, details);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether `value` is an AlgorandError (of this or another copy of the package) and, if `code` is given, has that code.
 */
export function isAlgorandError(value: unknown, code?: AlgorandErrorCode): value is AlgorandError {
  if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
  return code === undefined || ('code' in value && value.code === code);
}
