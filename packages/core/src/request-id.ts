/** The header that carries a request's id from one program to the next and into every log. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Excludes everything that a terminal or a log would interpret. */
const WELL_FORMED = /^[\w.:-]{1,128}$/;

/** The id in a header; undefined if there is none, if it is too long, or if it has characters that no id needs. */
export function parseRequestId(header: unknown): string | undefined {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : undefined;
}
