import { X402Error } from '@avm402/core/errors';
import type { HoldOptions } from './held-answer.ts';
import type { ChangingHeaders } from './reply.ts';

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
