import { type Logger, pino } from 'pino';
import { requestContext } from './request-context.ts';

/** The logger of a facilitator's parts; pino's logger is one. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** A logger that writes nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Members that may hold a payment, a key or a token, anywhere in a logged object. Normally each logged fact is chosen
 * by hand; this list is for the day when somebody logs a whole request.
 */
const SECRET_MEMBERS = [
  'paymentGroup',
  'paymentPayload',
  'payload',
  'group',
  'body',
  'headers',
  'authorization',
  'cookie',
  'idempotencyKey',
  'mnemonic',
  'privateKey',
  'seed',
  'secret',
  'token',
  'AVM_MNEMONIC',
  'AVM_PRIVATE_KEY',
  'SPONSOR_MNEMONIC',
  'SPONSOR_PRIVATE_KEY',
  'ALGOD_TOKEN',
  'DATABASE_URL',
];

const REDACTED_PATHS = SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** Most bytes that are kept while standard error takes none; later lines are dropped. */
const MAX_KEPT_BYTES = 1_000_000;
/** How soon they are written again, if no other line comes. */
const RETRY_MS = 100;

/**
 * A logger that writes JSON lines to standard error: standard output is for the ready line only. It writes each at once,
 * so that a kill loses none, and waits for no reader.
 */
export function createLog(options: { readonly level: string }): Logger {
  // Node makes a pipe or a socket non-blocking when it opens `process.stderr`: where it is full, a write then fails.
  void process.stderr;
  const destination = pino.destination({ fd: 2, sync: true, maxLength: MAX_KEPT_BYTES, retryEAGAIN: () => false });
  let retry: NodeJS.Timeout | undefined;
  // Without a listener a line would throw where the disk is full, in the midst of work on a payment.
  destination.on('error', () => {
    retry ??= setTimeout(() => {
      retry = undefined;
      destination.write('');
    }, RETRY_MS).unref();
  });
  // Once that many bytes are kept, no other line tries to write them again.
  destination.on('drop', () => void destination.write(''));
  return pino(
    {
      level: options.level,
      base: { name: 'avm402-facilitator' },
      // Adds the request's facts to every line of its work.
      mixin: () => ({ ...requestContext.getStore()?.facts }),
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    destination,
  );
}
