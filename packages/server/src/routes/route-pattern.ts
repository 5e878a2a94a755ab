import { likelyName } from '@avm402/core/likely-name';
import { METHODS } from '../node-http.ts';
import { foldCase, PARAMETER, PathMatcher, withoutNames } from './path-matcher.ts';
import { routeError } from './route-error.ts';

/** A parsed route key, e.g. `"GET /weather/:city"`. */
export interface RoutePattern {
  /** The key as the seller wrote it. */
  readonly key: string;
  /** An HTTP method in upper case, or `*` for any. */
  readonly verb: string;
  readonly path: string;
  /** Whether a path matches, given as `foldCase` makes it. Call it for each reading of the path. */
  matches(folded: string): boolean;
  /** Whether an end of such a path matches that starts at a slash, in time linear in the path's length. */
  matchesEnd(folded: string): boolean;
}

/** Methods to suggest for a mistyped one. */
const COMMON_VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Characters with a meaning in other routers. Taken literally they would leave a path unpaid, so they are refused. */
const UNSUPPORTED = /[?+(){}"!\\]/;

/**
 * Parses a route key: an optional method and a path with `:name`, `[name]`, `*` (also inside a segment), `*name` and
 * `[...name]`. `/path/*` also matches `/path`. Case and a trailing slash are ignored.
 * @throws X402Error `invalid_route`
 */
export function parseRoutePattern(key: string): RoutePattern {
  const { verb, path } = splitKey(key);
  const whyNot = verb === '*' ? undefined : whyNotVerb(verb);
  if (whyNot !== undefined) throw routeError('invalid_route', key, whyNot);
  if (path !== '*' && !path.startsWith('/')) throw routeError('invalid_route', key, 'the path must start with /');
  if (UNSUPPORTED.test(path)) {
    const why = 'only :name, [name] and * are understood; write one route for each form of the path';
    throw routeError('invalid_route', key, why);
  }
  const matcher = new PathMatcher(path);
  const ending = new PathMatcher(`*${path}`);
  return {
    key,
    verb,
    path,
    matches: (folded) => matcher.matches(folded),
    matchesEnd: (folded) => ending.matches(folded),
  };
}

function splitKey(key: string): Pick<RoutePattern, 'verb' | 'path'> {
  const words = key.trim().split(/\s+/);
  const [first = '', second] = words;
  if (second === undefined) return { verb: '*', path: first };
  if (words.length > 2) throw routeError('invalid_route', key, 'write it as "GET /path" or "/path"');
  return { verb: first.toUpperCase(), path: second };
}

/** Why a method is refused: no request has it, or it is never charged. Either would leave the route unpaid. */
function whyNotVerb(verb: string): string | undefined {
  if (verb === 'HEAD') return 'HEAD is never sold: a GET route already answers it with the offer';
  if (verb === 'OPTIONS' || verb === 'CONNECT') return `${verb} is never sold`;
  if (METHODS.includes(verb)) return undefined;
  const likely = likelyName(verb, COMMON_VERBS);
  const meant = likely === undefined ? '' : ` (did you mean ${likely}?)`;
  return `there is no HTTP method ${verb}${meant}; a path alone is for any method`;
}

/**
 * Whether `earlier` matches every request that `later` matches, so that the price of `later` would never be charged.
 * Checked with one path that fills each wildcard of `later` in the most general way.
 */
export function shadows(earlier: RoutePattern, later: RoutePattern): boolean {
  const coversVerb = earlier.verb === '*' || earlier.verb === later.verb;
  return coversVerb && earlier.matches(foldCase(sample(later.path)));
}

function sample(path: string): string {
  return withoutNames(path).replaceAll(PARAMETER, '\u{1f511}').replaceAll('*', '\u{1f511}/\u{1f511}');
}
