/** Rounds of percent-decoding. Nothing decodes a path more often on its way to a handler. */
const MAX_DECODINGS = 5;

/** Whether a path can be read in several ways: it has an escape, a backslash, an empty segment or a dot segment. */
const EQUIVOCAL = /[%\\]|\/\/|\/\.{1,2}(?:\/|$)/;

/**
 * Every way in which software behind the middleware may read a path: unchanged, as Express does, or as a file server or
 * proxy might, decoded and with backslashes, doubled slashes and dot segments resolved. The unchanged path comes first.
 */
export function pathReadings(path: string): readonly string[] {
  if (path.startsWith('/') && !EQUIVOCAL.test(path)) return [withoutTrailingSlash(path)];
  const readings = new Set([withoutTrailingSlash(path)]);
  let current = path;
  for (let round = 0; round <= MAX_DECODINGS; round++) {
    readings.add(withoutTrailingSlash(current));
    readings.add(withoutTrailingSlash(resolved(current)));
    const decoded = decoded1(current);
    if (decoded === current) break;
    current = decoded;
  }
  return [...readings];
}

/** The path of a request target, without origin, query and fragment. */
export function pathOfTarget(target: string): string {
  const withoutOrigin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const path = withoutOrigin.split(/[?#]/, 1)[0] ?? '';
  return path.startsWith('/') ? path : `/${path}`;
}

/** Decodes well-formed escapes and leaves the rest. A decoder that gives up at a bad escape would miss the others. */
function decoded1(path: string): string {
  return path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes.replaceAll(/%([0-7][0-9a-f])/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    }
  });
}

function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
