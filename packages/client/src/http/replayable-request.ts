import { sha256 } from '@avm402/algorand/hash';
import { PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { noTrace, type Trace } from '@avm402/core/trace';

/** A request that can be sent again, always the same. */
export interface ReplayableRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** Undefined: no body, or one that can be read only once. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** False: the body can be read only once, so this request can be sent, but not paid. */
  readonly isReplayable: boolean;
  /** True: the request has a payment already. */
  readonly carriesPayment: boolean;
  /** The other options of fetch: credentials, cache, dispatcher … */
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
  /** The trace of its spans. */
  readonly trace: Trace;
  /** Facts from its answers so far. */
  readonly heard: Heard;
}

/** Facts from a request's answers that help to explain how it ended. */
interface Heard {
  /** `X-Request-Id` of the latest answer that had one: it names the request in the seller's log. */
  requestId?: string | undefined;
}

/** Headers that carry a payment; the second one is of the first version of the protocol. */
export const PAYMENT_HEADERS: readonly string[] = [PAYMENT_SIGNATURE_HEADER, 'X-PAYMENT'];

/** Reads the arguments of fetch. A body is read into memory, unless it is a stream. */
export async function readRequest(
  input: RequestInfo | URL,
  init: RequestInit = {},
  trace: Trace = noTrace,
): Promise<ReplayableRequest> {
  const isOneShot = isReadOnce(init.body);
  const signal = ownSignal(init.signal ?? (input instanceof Request ? input.signal : undefined));
  const request = new Request(input, { ...init, ...(signal && { signal }), ...(isOneShot && { body: null }) });
  const { url, method, headers } = request;
  return {
    url,
    method,
    headers,
    body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
    isReplayable: !isOneShot,
    carriesPayment: PAYMENT_HEADERS.some((name) => headers.has(name)),
    init: { ...inheritedInit(input), ...init, ...(signal && { signal }) },
    signal,
    trace,
    heard: {},
  };
}

/**
 * A signal for this request alone. The caller's signal may live as long as the process and would collect the listeners
 * of every request; it holds a dependent signal only weakly.
 */
function ownSignal(caller: AbortSignal | undefined): AbortSignal | undefined {
  return caller && AbortSignal.any([caller]);
}

/**
 * Identifies what a request asks for: method, URL with query, content type and body. It is a hash, because it may be
 * stored, and a query may hold a secret.
 */
export function fingerprint({ method, url, headers, body }: ReplayableRequest): string {
  const text = `${method} ${url.split('#', 1)[0]} ${headers.get('content-type') ?? ''} `;
  return hexOf(sha256(new TextEncoder().encode(text + (body ? hexOf(sha256(body)) : ''))));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The options of one attempt. */
export function attemptInit(request: ReplayableRequest, changes: RequestInit): RequestInit {
  const { init, method, headers, body } = request;
  return { ...init, method, headers, ...(body && { body }), ...changes };
}

function isReadOnce(body: RequestInit['body']): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return body instanceof ReadableStream || (Symbol.asyncIterator in body && !(body instanceof Blob));
}

/** The options that a Request object carries beyond URL, method, headers and body. */
function inheritedInit(input: RequestInfo | URL): RequestInit {
  if (!(input instanceof Request)) return {};
  const { cache, credentials, integrity, keepalive, redirect, referrer, referrerPolicy } = input;
  return { cache, credentials, integrity, keepalive, redirect, referrer, referrerPolicy };
}
