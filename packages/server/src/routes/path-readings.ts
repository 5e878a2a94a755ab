/** Rounds of percent-decoding. Nothing decodes a path more often on its way to a handler. */
const MAX_DECODINGS = 5;

/** Whether a path can be read in several ways: it has an escape, a backslash, an empty segment or a dot segment. */
const EQUIVOCAL = /[%\\]|\/\/|\/\.{1,2}(?:\/|$)/;

/** Letters, digits and ranges of them, as often as one likes but never left out: what takes no slash, and some text. */
const TEXT = String.raw`(?:(?:[\w-]|\\[dw.]|\[(?:\w-\w|\w|\\[dw])+-?\])\+?)+`;
/** An expression of a parameter that takes one segment for sure, such as `{[a-z0-9-]+}` and `{en|de}`. */
const ONE_SEGMENT = new RegExp(String.raw`\{${TEXT}(?:\|${TEXT})*\}`, 'g');

/** The base of a URL that is only a path. */
const BASE = 'http://host';

/**
 * Every way in which software behind the middleware may read a path: unchanged, as Express does, or as a file server or
 * proxy might, decoded and with backslashes, doubled slashes and dot segments resolved, or as a parser of URLs reads it.
 * The unchanged path comes first.
 */
export function pathReadings(path: string): readonly string[] {
  if (path.startsWith('/') && !EQUIVOCAL.test(path)) return [withoutTrailingSlash(path)];
  const readings = new Set([withoutTrailingSlash(path)]);
  let current = path;
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    for (const read of [current, current.replaceAll('\\', '/'), readAsUrl(current)]) {
      readings.add(withoutTrailingSlash(read));
      readings.add(withoutTrailingSlash(resolved(read)));
    }
    const decoded = decodedOnce(current);
    if (decoded === current) break;
    current = decoded;
  }
  return [...readings];
}

/** The path of a request target, without origin, query and fragment. All slashes of an origin without a host are kept. */
export function pathOfTarget(target: string): string {
  const withoutOrigin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]+)?/i, '');
  const path = withoutOrigin.split(/[?#]/, 1)[0] ?? '';
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Whether a base takes any number of segments, or none: then it is not known where the path below it begins. A wildcard
 * does, and an expression of a parameter may.
 */
export function isOpen(base: string): boolean {
  return /[*{]/.test(base.replaceAll(ONE_SEGMENT, ''));
}

/**
 * A path as a router that is mounted below a base reads it. The base is a pattern whose parameters take one segment
 * each. Its segments are counted, so it does not matter how the path spells them.
 */
export function belowMount(path: string, base: string): string {
  if (isOpen(base)) return path;
  const depth = base.split('/').filter((segment) => segment !== '').length;
  if (depth === 0) return path;
  const above = new RegExp(`^(?:/+[^/]+){${depth}}(?=/|$)`).exec(path);
  const below = above === null ? path : path.slice(above[0].length);
  return below.startsWith('/') ? below : `/${below}`;
}

/** Decodes well-formed escapes and leaves the rest. A decoder that gives up at a bad escape would miss the others. */
function decodedOnce(path: string): string {
  return path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.replaceAll(/%([0-7][0-9a-f])/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    }
  });
}

/**
 * The path as `new URL(path, base)` reads it: a host after two slashes (RFC 3986, 4.2), `%2e` for a dot while `%2f` stays,
 * no tabs and line breaks.
 */
function readAsUrl(path: string): string {
  const alone = path.replaceAll(/[?#]/g, encodeURIComponent);
  return URL.canParse(alone, BASE) ? new URL(alone, BASE).pathname : path;
}

function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
