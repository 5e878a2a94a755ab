import type { RequestFacts } from './request-facts.ts';

/** Conditional and range headers (RFC 9110, 13.1 and 14.2). */
const PRECONDITIONS: ReadonlySet<string> = new Set([
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
]);

/**
 * Removes conditional and range headers from a request. The responses to them (304, 412, 416) are not charged, yet they
 * reveal length and validators of the paid response, and whether a guess of its content is right.
 */
export function withoutPreconditions(request: RequestFacts): void {
  const hasAny = [...PRECONDITIONS].some((name) => request.header(name) !== undefined);
  if (hasAny) request.withoutHeaders(PRECONDITIONS);
}
