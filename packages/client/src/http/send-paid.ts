import { X402Error } from '@avm402/core/errors';
import { PAYMENT_RESPONSE_HEADER, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { discardBody } from './discard-body.ts';
import { attemptInit, PAYMENT_HEADERS, type ReplayableRequest } from './replayable-request.ts';
import { send } from './send.ts';

export interface PaidAnswer {
  readonly response: Response;
  /** The value of PAYMENT-RESPONSE, from any hop. */
  readonly receipt: string | null;
}

export interface SendPaidOptions {
  /** Where the offer came from. */
  readonly url: string;
  /** The value of PAYMENT-SIGNATURE. Absent: the request has brought its payment along. */
  readonly header?: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal | undefined;
}

const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Headers that are not sent to another origin: those that fetch itself withholds, and the proof of payment. */
const PRIVATE_HEADERS = [...PAYMENT_HEADERS, 'Authorization', 'Cookie', 'Proxy-Authorization'];

/**
 * Sends a request with its payment. Follows redirects itself, because fetch would send the proof of payment to another
 * origin. A request to another origin goes on without it.
 * @throws X402Error `unsafe_redirect` after too many redirects, or in a browser, which hides where a redirect leads;
 * what fetch throws
 */
export async function sendPaid(request: ReplayableRequest, options: SendPaidOptions): Promise<PaidAnswer> {
  const { fetch, signal } = options;
  const headers = new Headers(request.headers);
  if (options.header !== undefined) headers.set(PAYMENT_SIGNATURE_HEADER, options.header);
  let url = options.url;
  let init = attemptInit(request, { headers, redirect: 'manual', signal: signal ?? null });
  let receipt: string | null = null;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await send(request, { url, init, fetch });
    receipt = response.headers.get(PAYMENT_RESPONSE_HEADER) ?? receipt;
    const { redirect } = request.init;
    if (redirect === 'manual' || !isRedirect(response)) return { response, receipt };
    discardBody(response);
    const target = redirectTarget(response, url, redirect);
    init = nextInit(init, response.status, new URL(target).origin === new URL(url).origin);
    url = target;
  }
  throw unsafeRedirect(options.url, `more than ${MAX_REDIRECTS} times`);
}

function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (REDIRECTS.includes(status) && headers.has('Location'));
}

/** @throws X402Error `unsafe_redirect` */
function redirectTarget({ headers }: Response, url: string, mode: RequestRedirect | undefined): string {
  // Browsers hide this header.
  const location = headers.get('Location');
  const target = location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (mode !== 'error' && target && /^https?:$/.test(target.protocol)) return target.href;
  throw unsafeRedirect(url, "the paid request, which can't be followed here");
}

/** The error names the URL without its query, which may hold a secret. */
function unsafeRedirect(url: string, what: string): X402Error {
  const { origin, pathname } = new URL(url);
  return new X402Error('unsafe_redirect', { message: `${origin + pathname} redirects ${what}` });
}

/** The next hop: GET after a 303 (and, for POST, 301 and 302), without private headers at another origin. */
function nextInit(init: RequestInit, status: number, isSameOrigin: boolean): RequestInit {
  const headers = new Headers(init.headers);
  if (!isSameOrigin) for (const name of PRIVATE_HEADERS) headers.delete(name);
  const { method = 'GET' } = init;
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return { ...init, headers };
  for (const name of ['Content-Type', 'Content-Length']) headers.delete(name);
  const { body: _, ...withoutBody } = init;
  return { ...withoutBody, method: 'GET', headers };
}
