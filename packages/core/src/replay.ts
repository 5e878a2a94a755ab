import * as z from 'zod/mini';
import { X402Error } from './errors.ts';
import { issueWords } from './issue-words.ts';
import { firstIssue, list, optional, text } from './message-parser.ts';

/** A message of a payment as it went over the wire, without its secrets. */
export interface ReplayMessage {
  readonly direction: 'sent' | 'received';
  /** E.g. `GET 127.0.0.1:4021/weather`, or `402`. */
  readonly line: string;
  /** The x402 headers by name, each as JSON. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A payment with all that is needed to run it again elsewhere. */
export interface Replay {
  readonly format: 'avm402-replay';
  readonly version: 1;
  /** E.g. `GET /weather`. */
  readonly asked: string;
  readonly outcome?: string | undefined;
  readonly transaction?: string | undefined;
  /** The seller's checks: the outcome is `passed` or the code of the refusal. */
  readonly checks: readonly { readonly check: string; readonly outcome: string }[];
  readonly messages: readonly ReplayMessage[];
  /**
   * Base64 of each member's msgpack, signed if the group is on chain, where everybody can read it. Empty if the group
   * is not known.
   */
  readonly group: readonly string[];
  /** The ledger before the payment: base64 of a state file of the embedded node, compressed by gzip. */
  readonly ledger?: { readonly round: number; readonly state: string } | undefined;
}

const MAX_STATE = 200_000_000;
/** The most checks, and the most messages, that are read. */
const MAX_ENTRIES = 1000;
const MAX_GROUP = 16;
const OTHER_FILE = 'this is not a payment that the console exported';
const message = z.object({
  direction: z.enum(['sent', 'received']),
  line: text(4096),
  headers: z.record(text(64), text(65_536)),
});
const replay = z.object({
  format: z.literal('avm402-replay'),
  version: z.literal(1),
  asked: text(2048),
  outcome: optional(text(256)),
  transaction: optional(text(256)),
  checks: list(z.object({ check: text(256), outcome: text(256) }), MAX_ENTRIES),
  messages: list(message, MAX_ENTRIES),
  group: list(z.base64().check(z.maxLength(65_536)), MAX_GROUP),
  ledger: optional(
    z.object({ round: z.int().check(z.nonnegative()), state: z.base64().check(z.maxLength(MAX_STATE)) }),
  ),
});

/**
 * Reads what `encodeReplay` wrote.
 * @throws X402Error `invalid_replay`
 */
export function parseReplay(json: string): Replay {
  const value = valueOf(json);
  if (Object(value).format !== 'avm402-replay') throw new X402Error('invalid_replay', { message: OTHER_FILE });
  const parsed = replay.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  throw new X402Error('invalid_replay', { message: firstIssue(parsed.error) });
}

export function encodeReplay(payment: Replay): string {
  return `${JSON.stringify(payment, undefined, 1)}\n`;
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new X402Error('invalid_replay', { message: OTHER_FILE, cause });
  }
}
