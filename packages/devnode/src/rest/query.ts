/** A parsed request target. */
export interface RequestTarget {
  /** As it was sent, still percent-encoded, without a trailing slash. */
  readonly path: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Parses a request target. Undefined when the path has a broken percent encoding, which Go's server refuses. */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const local = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const at = local.indexOf('?');
  const path = at === -1 ? local : local.slice(0, at);
  if (percentDecode(path) === undefined) return undefined;
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return { path: trimmed, query: parseQuery(at === -1 ? '' : local.slice(at + 1)) };
}

/**
 * Reads a query string as Go's net/url does: `+` is a space, a pair with a semicolon or a broken escape is dropped,
 * names are case-sensitive. Values of a repeated name keep their order.
 */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  if (query === '') return values;
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const at = pair.indexOf('=');
    const name = unescape(at === -1 ? pair : pair.slice(0, at));
    const value = unescape(at === -1 ? '' : pair.slice(at + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

function unescape(text: string): string | undefined {
  return percentDecode(text.replaceAll('+', ' '));
}

// Node passes the bytes of a request target as Latin-1.
const PLAIN = /^[!-$&-~ ]*$/;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** Decodes percent encoding; bytes that are not UTF-8 become U+FFFD. Undefined for a broken escape. */
export function percentDecode(text: string): string | undefined {
  if (PLAIN.test(text)) return text;
  if (BROKEN_ESCAPE.test(text)) return undefined;
  const bytes = text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
