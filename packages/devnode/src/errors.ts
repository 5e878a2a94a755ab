/** What can go wrong, as a closed set of codes. */
export type DevnodeErrorCode =
  | 'backlog_full'
  | 'internal'
  | 'invalid_genesis'
  | 'invalid_options'
  | 'not_found'
  | 'port_taken'
  | 'refused'
  | 'shutting_down'
  | 'unreachable'
  | 'unsupported';

/** Values that algod's JSON has, by name. */
export interface ErrorDetails {
  readonly [name: string]: ErrorDetail;
}

type ErrorDetail = string | number | bigint | readonly ErrorDetail[] | ErrorDetails;

export interface DevnodeErrorOptions {
  /** HTTP status of the answer. Default: 400. */
  readonly status?: number;
  /** Structured details that algod sends beside the message. */
  readonly data?: ErrorDetails;
  readonly cause?: unknown;
}

/** A coded error whose message is, where algod has one, algod's own text. */
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

/** What whoever waits for a node, or asks it for something, is told when it closes. */
export function shuttingDown(): DevnodeError {
  return new DevnodeError('shutting_down', 'operation aborted as server is shutting down', { status: 500 });
}
