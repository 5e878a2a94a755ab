/** Rounds of percent-decoding after which a path is given up on: nothing decodes five times on its way to a handler. */
const MAX_DECODINGS = 5;

/** What makes a path one that can be read in several ways: an escape, a backslash, an empty or a dot segment. */
const EQUIVOCAL = /[%\\]|\/\/|\/\.{1,2}(?:\/|$)/;

/**
 * Every way in which the software behind us may read a path: as it stands (Express), and as a file server or a proxy
 * might (decoded, with backslashes, doubled slashes and dot segments resolved). The first one is the path as it stands.
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

/** The path of a request target: without query and fragment, and without origin in the absolute form. */
export function pathOfTarget(target: string): string {
  const withoutOrigin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const path = withoutOrigin.split(/[?#]/, 1)[0] ?? '';
  return path.startsWith('/') ? path : `/${path}`;
}

/** Decodes what is well-formed and leaves the rest: a decoder that gives up on one bad escape would miss the others. */
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
