/** The header that names a request, from hand to hand and in every log. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Nothing that a terminal or a log would obey. */
const WELL_FORMED = /^[\w.:-]{1,128}$/;

/** The id in a header; undefined if there is none, or one that is too long or holds what no id needs. */
export function parseRequestId(header: unknown): string | undefined {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : undefined;
}
