import { PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { REQUEST_ID_HEADER } from '@avm402/core/request-id';

/** A response of the seller itself. Caches don't keep it unless its headers say so. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonReply(status: number, body: object, headers: Reply['headers'] = {}): Reply {
  return { status, headers: { 'Content-Type': JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

/** The headers of a response that can still be changed, as Node's response has them. */
export interface ChangingHeaders {
  getHeader(name: string): number | string | readonly string[] | undefined;
  setHeader(name: string, value: string): unknown;
}

/** A header as hosts have it: Node's, or that of a `Response`. */
export type HeaderValue = ReturnType<ChangingHeaders['getHeader']> | null;

const EXPOSED = [PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, REQUEST_ID_HEADER, 'Retry-After'].join(', ');

/** Headers that proxies and content networks obey before `Cache-Control` (RFC 9213, and those that are older). */
const FOR_SHARED_CACHES = [
  'CDN-Cache-Control',
  'Cloudflare-CDN-Cache-Control',
  'Vercel-CDN-Cache-Control',
  'Netlify-CDN-Cache-Control',
  'Surrogate-Control',
  'Edge-Control',
  'X-Accel-Expires',
];

/**
 * Marks a response of a priced route: it varies with the payment header, other origins may read its headers, and no
 * shared cache keeps it: many of them serve what they keep to everybody, whatever `Vary` says.
 */
export function markPriced(response: ChangingHeaders): void {
  for (const name of FOR_SHARED_CACHES) {
    if (response.getHeader(name) !== undefined) response.setHeader(name, name === 'X-Accel-Expires' ? '0' : 'no-store');
  }
  addToList(response, 'Vary', PAYMENT_SIGNATURE_HEADER);
  addToList(response, 'Access-Control-Expose-Headers', EXPOSED);
}

/** Marks a paid response: adds the receipt, and keeps shared caches from storing it. */
export function markPaid(response: ChangingHeaders, receipt: string): void {
  response.setHeader(PAYMENT_RESPONSE_HEADER, receipt);
  response.setHeader('Cache-Control', privateCacheControl(String(response.getHeader('cache-control') ?? '')));
  markPriced(response);
}

/** The handler's Cache-Control, without the directives that let shared caches store the response. */
function privateCacheControl(value: string): string {
  const directives = value
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(directive));
  return ['private', ...directives].join(', ');
}

/** Adds the items that a list header lacks. Usually it lacks none, because a response is marked more than once. */
function addToList(response: ChangingHeaders, header: string, items: string): void {
  const value = response.getHeader(header);
  if (value === items) return;
  if (value === undefined) return void response.setHeader(header, items);
  const current = [value].flat().map(String).join(', ');
  if (current === '*') return;
  const present = new Set(current.split(',').map((item) => item.trim().toLowerCase()));
  const missing = items.split(', ').filter((item) => !present.has(item.toLowerCase()));
  if (missing.length > 0) response.setHeader(header, [current, ...missing].filter((item) => item !== '').join(', '));
}
