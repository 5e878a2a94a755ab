import type { X402Error } from '@avm402/core/errors';
import { REQUEST_ID_HEADER } from '@avm402/core/request-id';
import { type BodyRoom, unholdable } from './held-body.ts';
import type { HeaderValue, Reply } from './reply.ts';
import type { StreamTaker } from './stream-taker.ts';

/** A handler's response, complete enough to be sent again. */
export interface HandlerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly body: Uint8Array;
}

/** A handler's answer, kept for the buyer who comes back for it. */
export interface StoredResponse extends HandlerAnswer {
  /** Milliseconds since 1970; after that only the receipt is left. */
  readonly keptUntil: number;
}

/** Headers that belong to the connection or to the request, not to the response. */
export const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  REQUEST_ID_HEADER.toLowerCase(),
]);

/**
 * How a handler answered:
 * `ended`      2xx, and the whole response is held;
 * `passed`     another status: the response is not charged and goes straight to the client;
 * `unholdable` 2xx, but it streams or is too large; nothing was sent;
 * `streaming`  2xx, an event stream: from now on, the handler's writes go to the stream taker of this payment.
 */
export type HandlerOutcome =
  | { readonly kind: 'ended' | 'passed' | 'streaming' }
  | { readonly kind: 'unholdable'; readonly error: X402Error };

/** What decides whether an answer can be held. */
export interface HoldOptions extends BodyRoom {
  /** Takes event streams; without it they can't be held. */
  readonly streams?: StreamTaker;
}

/**
 * A handler's answer that is held until it is paid for. An answer other than 2xx is not charged and passes at once,
 * without headers that describe the paid one (`REPRESENTATION_HEADERS`).
 */
export interface HeldAnswer {
  /** Resolves once the handler has answered, even if the client has left. */
  readonly outcome: Promise<HandlerOutcome>;
  /** Bytes of the body. */
  readonly size: number;
  /** The held answer, to be stored for a buyer who comes back. */
  readonly answer: HandlerAnswer;
  /**
   * Sends the held answer with this receipt.
   * @throws whatever the app's own code around the response throws
   */
  release(receipt: string): void;
  /** Sends another reply. What the handler answers is dropped. */
  replace(reply: Reply): void;
  /** Drops the answer, because the client has left. */
  discard(): void;
}

/** Headers that an uncharged response must not have: validators, digests and lengths describe the paid one. */
export const REPRESENTATION_HEADERS = [
  'etag',
  'last-modified',
  'content-length',
  'content-range',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
  'trailer',
] as const;

/** Why an answer with this head can't be held; undefined if it can. */
export function unholdableHead(
  contentType: HeaderValue,
  contentLength: HeaderValue,
  { maxBytes }: Pick<HoldOptions, 'maxBytes'>,
): X402Error | undefined {
  const length = Number(contentLength ?? 0);
  if (isEventStream(contentType)) return unholdable('it is an event stream');
  if (length > maxBytes) return unholdable(`its ${length} bytes are more than the ${maxBytes} that are held`);
  return undefined;
}

/** Whether a content type is that of server-sent events. */
export function isEventStream(contentType: HeaderValue): boolean {
  return /^text\/event-stream\b/i.test(String(contentType ?? ''));
}
