import { X402Error } from '@avm402/core/errors';
import type { HandlerAnswer } from './handler-answer.ts';
import type { HeldShare } from './held-bytes.ts';
import type { ChangingHeaders, Reply } from './reply.ts';
import type { StreamTaker } from './stream-taker.ts';

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
export interface HoldOptions {
  readonly maxBytes: number;
  /** Counts the bytes of all held answers. */
  readonly room: HeldShare;
  /** Takes event streams; without it they can't be held. */
  readonly streams?: StreamTaker;
}

/**
 * A handler's answer that is held until it is paid for. An answer other than 2xx is not charged and passes at once,
 * without headers that describe the paid one (`TELLTALES`).
 */
export interface HeldAnswer {
  /** Resolves once the handler has answered, even if the client has left. */
  readonly outcome: Promise<HandlerOutcome>;
  /** Bytes of the body. */
  readonly size: number;
  /** The held answer, to be stored for a buyer who comes back. */
  answer(): HandlerAnswer;
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
export const TELLTALES = [
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

type HeaderValue = ReturnType<ChangingHeaders['getHeader']> | null;

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

/** The error for an answer whose body turns out to be too large. */
export function tooLarge({ maxBytes }: Pick<HoldOptions, 'maxBytes'>): X402Error {
  return unholdable(`it is larger than the ${maxBytes} bytes that are held`);
}

/** Whether a content type is that of server-sent events. */
export function isEventStream(contentType: HeaderValue): boolean {
  return /^text\/event-stream\b/i.test(String(contentType ?? ''));
}

function unholdable(why: string): X402Error {
  return new X402Error('response_not_settleable', {
    message: `the response can't be held until it is paid: ${why}. Sell this route with extra: { paymentFlow: 'upfront' }`,
  });
}
