import { X402Error } from '@avm402/core/errors';

/** A route key, taken apart: `"GET /weather/:city"`. */
export interface RoutePattern {
  /** As written by the seller. */
  readonly key: string;
  /** Upper case; `*` for any. */
  readonly verb: string;
  readonly path: string;
  readonly regExp: RegExp;
}

const VERB = /^[A-Z]+$/;
/** What other routers give a meaning that this table does not have; taken literally it would leave a path unpaid. */
const UNSUPPORTED = /[?+(){}"!]/;

/**
 * Parses a route key: an optional verb and a path with `:name`, `[name]`, `*` (also inside a segment) and `*name`.
 * A path that ends in `/*` also covers what stands before it. Case and a trailing slash make no difference.
 * @throws X402Error `invalid_route`
 */
export function parseRoutePattern(key: string): RoutePattern {
  const { verb, path } = splitKey(key);
  if (verb === 'HEAD') throw invalidRoute(key, 'HEAD is never sold: a GET route already answers it with the offer');
  if (path !== '*' && !path.startsWith('/')) throw invalidRoute(key, 'the path must start with /');
  if (UNSUPPORTED.test(path)) {
    throw invalidRoute(key, 'only :name, [name] and * are understood; write one route for each form of the path');
  }
  return { key, verb, path, regExp: compile(path) };
}

function splitKey(key: string): Pick<RoutePattern, 'verb' | 'path'> {
  const words = key.trim().split(/\s+/);
  const [first = '', second] = words;
  if (second === undefined) return { verb: '*', path: first };
  const verb = first.toUpperCase();
  if (words.length > 2 || !VERB.test(verb)) throw invalidRoute(key, 'write it as "GET /path" or "/path"');
  return { verb, path: second };
}

/**
 * Whether every request that `later` is for is taken by `earlier`: then the price of `later` would never be asked.
 * A path that uses each wildcard of `later` in the most general way stands for all of them.
 */
export function shadows(earlier: RoutePattern, later: RoutePattern): boolean {
  const coversVerb = earlier.verb === '*' || earlier.verb === later.verb;
  return coversVerb && earlier.regExp.test(sample(later.path));
}

function compile(path: string): RegExp {
  const covered = path === '*' ? '/*' : path;
  const source = covered
    .replace(/\/\*[a-z_][a-z0-9_]*/gi, '/*')
    .replace(/\/+$/, '')
    .replace(/\/\*$/, '\u0000')
    .replaceAll(/\[[^\]/]+\]|:[a-z_][a-z0-9_]*/gi, '\u0001')
    .replaceAll(/[\\^$.*|[\]-]/g, (character) => (character === '*' ? '.*' : `\\x${hex(character)}`))
    .replaceAll('\u0001', '[^/]+')
    .replace('\u0000', '(?:/.*)?');
  return new RegExp(`^${source === '' ? '/' : source}$`, 'isu');
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

function sample(path: string): string {
  return path
    .replace(/^\*$/, '/*')
    .replace(/(.)\/+$/, '$1')
    .replaceAll(/\[[^\]/]+\]|:[a-z_][a-z0-9_]*/gi, '\u{1f511}')
    .replaceAll(/\*(?:[a-z_][a-z0-9_]*)?/gi, '\u{1f511}/\u{1f511}');
}

function invalidRoute(key: string, why: string): X402Error {
  return new X402Error('invalid_route', { message: `route "${key}": ${why}`, details: { route: key } });
}
