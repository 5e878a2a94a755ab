import type { IncomingMessage } from 'node:http';

/** RFC 9110, 13.1 and 14.2: headers that ask about the answer rather than for it. */
const PRECONDITIONS: ReadonlySet<string> = new Set([
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
]);

/**
 * Takes conditions and ranges off a request. Their answers (304, 412, 416) are not charged and tell the length and the
 * validators of what is sold; with a right guess they tell its content.
 */
export function withoutPreconditions(request: IncomingMessage): void {
  if (![...PRECONDITIONS].some((name) => name in request.headers)) return;
  const isKept = (index: number): boolean =>
    !PRECONDITIONS.has(request.rawHeaders[index - (index % 2)]?.toLowerCase() ?? '');
  for (const name of PRECONDITIONS) {
    delete request.headers[name];
    delete request.headersDistinct[name];
  }
  request.rawHeaders = request.rawHeaders.filter((_text, index) => isKept(index));
}
