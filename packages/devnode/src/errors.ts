/** The closed set of error codes. */
export type DevnodeErrorCode =
  | 'backlog_full'
  | 'damaged_state_file'
  | 'directory_in_use'
  | 'internal'
  | 'invalid_accounts_file'
  | 'invalid_genesis'
  | 'invalid_options'
  | 'invalid_state_file'
  | 'not_found'
  | 'port_taken'
  | 'refused'
  | 'shutting_down'
  | 'unreachable'
  | 'unsupported';

/** Values of algod's JSON, by name. */
export interface ErrorDetails {
  readonly [name: string]: ErrorDetail;
}

type ErrorDetail = string | number | bigint | readonly ErrorDetail[] | ErrorDetails;

export interface DevnodeErrorOptions {
  /** HTTP status of the answer. Default 400. */
  readonly status?: number;
  /** Structured details that algod sends beside the message. */
  readonly data?: ErrorDetails;
  readonly cause?: unknown;
}

/**
 * An error with a code. Where algod has a message for it, the message is algod's.
 * @example
 * ```ts
 * import { DevnodeError, startDevnode } from '@avm402/devnode';
 *
 * await startDevnode({ port: 4001 }).catch((error: unknown) => {
 *   if (error instanceof DevnodeError && error.code === 'port_taken') console.error(error.message);
 *   else throw error;
 * });
 * ```
 */
export class DevnodeError extends Error {
  override readonly name = 'DevnodeError';
  readonly code: DevnodeErrorCode;
  readonly status: number;
  readonly data: DevnodeErrorOptions['data'];

  constructor(code: DevnodeErrorCode, message: string, options: DevnodeErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = options.status ?? 400;
    this.data = options.data;
  }
}

/** The error of a request that is refused; the message says why. */
export function refused(message: string, status = 400): DevnodeError {
  return new DevnodeError('refused', message, { status });
}

/** An error with HTTP status 404. */
export function notFound(message: string): DevnodeError {
  return new DevnodeError('not_found', message, { status: 404 });
}

/** The error of every call that a closing node no longer serves. */
export function shuttingDown(): DevnodeError {
  return new DevnodeError('shutting_down', 'operation aborted as server is shutting down', { status: 500 });
}
