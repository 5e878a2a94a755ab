import type { ServerResponse } from 'node:http';
import { PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { REQUEST_ID_HEADER } from '@avm402/core/request-id';

/** A response of the middleware itself. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a reply that no cache keeps. `end` is called with the body. */
export function writeReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  end: (body: string) => void = (text) => response.end(text),
): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  markPriced(response);
  end(body);
}

const EXPOSED = [PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, REQUEST_ID_HEADER, 'Retry-After'].join(', ');

/** Marks a response of a priced route: it varies with the payment header, and other origins may read its headers. */
export function markPriced(response: ServerResponse): void {
  addToList(response, 'Vary', PAYMENT_SIGNATURE_HEADER);
  addToList(response, 'Access-Control-Expose-Headers', EXPOSED);
}

/** Marks a paid response: adds the receipt, and keeps shared caches from storing it. */
export function markPaid(response: ServerResponse, receipt: string): void {
  response.setHeader(PAYMENT_RESPONSE_HEADER, receipt);
  response.setHeader('Cache-Control', privateCacheControl(String(response.getHeader('cache-control') ?? '')));
  markPriced(response);
}

/** The handler's Cache-Control, without what allows shared caches to store the response. */
function privateCacheControl(value: string): string {
  const directives = value
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !/^(public|private|s-maxage|proxy-revalidate)\b/i.test(directive));
  return ['private', ...directives].join(', ');
}

/** Adds the items that a list header lacks. Most calls find that it lacks none: a response is marked more than once. */
function addToList(response: ServerResponse, header: string, items: string): void {
  const value = response.getHeader(header);
  if (value === items) return;
  if (value === undefined) return void response.setHeader(header, items);
  const current = [value].flat().map(String).join(', ');
  if (current === '*') return;
  const present = new Set(current.split(',').map((item) => item.trim().toLowerCase()));
  const missing = items.split(', ').filter((item) => !present.has(item.toLowerCase()));
  if (missing.length > 0) response.setHeader(header, [current, ...missing].filter((item) => item !== '').join(', '));
}
