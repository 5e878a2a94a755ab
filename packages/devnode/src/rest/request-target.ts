import { parseQuery, percentDecode } from './query.ts';

/** A request's target, taken apart. */
export interface RequestTarget {
  /** As it was sent, percent encoding not undone, without a trailing slash. */
  readonly path: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Takes a request target apart. Undefined when the path has a broken percent encoding, which Go's server refuses. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const local = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const at = local.indexOf('?');
  const path = at === -1 ? local : local.slice(0, at);
  if (percentDecode(path) === undefined) return undefined;
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return { path: trimmed, query: parseQuery(at === -1 ? '' : local.slice(at + 1)) };
}
