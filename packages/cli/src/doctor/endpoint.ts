import { isSameParty, parseOffer } from '@avm402/client/diagnosis';
import { errorCatalogue, isX402ErrorCode } from '@avm402/core/errors';
import { PAYMENT_REQUIRED_HEADER, PAYMENT_RESPONSE_HEADER, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { isLoopbackHost } from '@avm402/core/loopback';
import { ALGORAND_MAINNET } from '@avm402/core/network';
import type { PaymentRequired } from '@avm402/core/payment-required';
import { explain } from '../words/explain.ts';
import { excerpt } from '../words/printable.ts';
import { ok, problem, warning, type Finding } from './finding.ts';

/** Header bytes that common proxies let through. */
const USUAL_HEADER_LIMIT = 8_000;
/** Bytes of a sponsored payment without its copy of the offer. */
const PAYMENT_BYTES = 1_700;

/** The endpoint's answer to a request without payment, or the reason why there is none. */
export async function reach(
  url: string,
  init: RequestInit,
  fetch: typeof globalThis.fetch,
): Promise<Response | Finding> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (speaksNoTls(error)) {
      const { host } = new URL(url);
      return problem('reachable', `${host} does not speak https`, `Try ${url.replace(/^https:/i, 'http:')}.`);
    }
    return problem(
      'reachable',
      `${url} does not answer: ${explain(error).message}`,
      'Check the URL, DNS, firewall and certificate.',
    );
  }
}

/** Whether a TLS handshake failed because the other side answered in plain text. */
function speaksNoTls(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

/** Checks the address of the endpoint. */
export function examineAddress(asked: URL, response: Response): Finding[] {
  const answered = new URL(response.url === '' ? asked : response.url);
  const encrypted = answered.protocol === 'https:' || isLoopbackHost(answered.hostname);
  return [
    ok('reachable', `${asked.host} answers ${response.status}`),
    encrypted
      ? ok('https', answered.protocol === 'https:' ? 'encrypted' : 'plain HTTP on this machine')
      : problem(
          'https',
          `${answered.origin} is not encrypted: anyone in between could use payments`,
          'Serve it over https.',
        ),
    ...examineRedirect(asked, answered),
  ];
}

function examineRedirect(asked: URL, answered: URL): Finding[] {
  if (answered.origin === asked.origin) return [];
  const fix = `Publish ${answered.origin} instead.`;
  if (isSameParty(asked, answered)) return [warning('redirect', `redirects to ${answered.origin}`, fix)];
  return [problem('redirect', `redirects to ${answered.origin}; clients do not pay behind it`, fix)];
}

const MOST_APART_MS = 60_000;

/** Whether the endpoint and this machine agree about the time. */
export function examineDate(response: Response, now: number): Finding[] {
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isNaN(date)) return [];
  const seconds = Math.round(Math.abs(now - date) / 1000);
  if (seconds * 1000 <= MOST_APART_MS) return [ok('clock', 'this machine and the endpoint agree about the time')];
  return [warning('clock', `this machine and the endpoint are ${seconds} seconds apart`, 'Set the clocks (NTP).')];
}

/** The offer, if the answer is a well-formed 402, and the findings about it. */
export async function examineOffer(response: Response): Promise<{ required?: PaymentRequired; findings: Finding[] }> {
  const offer = parseOffer(response);
  if (offer.kind === 'offer')
    return { required: offer.required, findings: [ok('402', 'asks for payment in x402 version 2')] };
  if (offer.kind === 'malformed') {
    const { message } = offer.problem;
    const fix = /\bnetwork\b/.test(message)
      ? `Name the network by its CAIP-2 id, for example ${ALGORAND_MAINNET}.`
      : `Send base64 of a PaymentRequired of version 2 in ${PAYMENT_REQUIRED_HEADER}.`;
    return { findings: [problem('402', `the offer can't be read: ${message}`, fix)] };
  }
  if (response.status === 402) {
    const fix = `Send the offer in the header ${PAYMENT_REQUIRED_HEADER}; an offer in the body is x402 version 1.`;
    return { findings: [problem('402', `a 402 without ${PAYMENT_REQUIRED_HEADER}`, fix)] };
  }
  if (response.status >= 500) return { findings: [await examineFailure(response)] };
  const fix = 'Check method and path, and that the payment middleware stands before the handler.';
  return { findings: [problem('402', `answers ${response.status} instead of 402 without a payment`, fix)] };
}

/** Bytes of an error that are read: ours have a few hundred. */
const MOST_ERROR_BYTES = 16_384;

/** Why a server failed, if its answer has a known code. The remedy comes from the catalogue, not from a stranger. */
async function examineFailure(response: Response): Promise<Finding> {
  const said = await errorIn(response);
  const code = said?.['error'] ?? said?.['code'];
  if (typeof code === 'string' && isX402ErrorCode(code)) {
    const { meaning, remedy } = errorCatalogue[code];
    const words = typeof said?.['message'] === 'string' ? excerpt(said['message']) : meaning;
    return problem('402', `the server answers ${response.status} instead of 402: ${code}: ${words}`, remedy);
  }
  const fix = 'Read the log of the server, or tell the seller.';
  return problem('402', `the server failed: it answers ${response.status} instead of 402`, fix);
}

/** The body, if it is a short JSON object. */
async function errorIn(response: Response): Promise<Record<string, unknown> | undefined> {
  const length = response.headers.get('Content-Length');
  if (length === null || Number(length) > MOST_ERROR_BYTES) return undefined;
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? { ...body } : undefined;
  } catch {
    return undefined;
  }
}

/** Checks what stands between the endpoint and its clients: header limits, caches, proxies. */
export function examineTransport(asked: URL, response: Response, { resource }: PaymentRequired): Finding[] {
  const size = response.headers.get(PAYMENT_REQUIRED_HEADER)?.length ?? 0;
  const echoed = size + PAYMENT_BYTES;
  const cacheControl = response.headers.get('Cache-Control') ?? '';
  return [
    echoed <= USUAL_HEADER_LIMIT
      ? ok('header size', `the offer has ${size} bytes, a payment of it about ${echoed}`)
      : warning(
          'header size',
          `a payment of this offer has about ${echoed} bytes; many proxies stop at ${USUAL_HEADER_LIMIT}`,
          'Shorten descriptions and examples, or offer less.',
        ),
    /\bno-store\b/i.test(cacheControl)
      ? ok('cache', 'the 402 is not cached')
      : warning('cache', 'the 402 may be cached', 'Send Cache-Control: no-store with it.'),
    examineResourceUrl(asked, resource.url),
  ];
}

function examineResourceUrl(asked: URL, url: string): Finding {
  const said = URL.canParse(url) ? new URL(url) : undefined;
  if (said?.origin === asked.origin) return ok('proxy URL', 'the resource names its public URL');
  return warning(
    'proxy URL',
    `the resource calls itself ${excerpt(url)}, but was asked for at ${asked.origin}`,
    "Set the public URL at the server, or let it trust its proxy's forwarded headers.",
  );
}

/** Whether a page of another origin can pay. */
export async function examineCors(url: string, init: RequestInit, fetch: typeof globalThis.fetch): Promise<Finding> {
  const origin = 'https://page.example';
  const fix = `Allow the origin and the header ${PAYMENT_SIGNATURE_HEADER}, and expose ${PAYMENT_REQUIRED_HEADER} and ${PAYMENT_RESPONSE_HEADER}, on the preflight and on the 402.`;
  const asking = {
    Origin: origin,
    'Access-Control-Request-Method': init.method ?? 'GET',
    'Access-Control-Request-Headers': PAYMENT_SIGNATURE_HEADER,
  };
  const headers = new Headers(init.headers);
  headers.set('Origin', origin);
  try {
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asking, signal: init.signal ?? null });
    await preflight.body?.cancel();
    const answer = await fetch(url, { ...init, headers });
    await answer.body?.cancel();
    const missing = [
      allows(preflight, 'Access-Control-Allow-Origin', origin) ? [] : ['the preflight does not allow the origin'],
      allows(preflight, 'Access-Control-Allow-Headers', PAYMENT_SIGNATURE_HEADER)
        ? []
        : [`the preflight does not allow ${PAYMENT_SIGNATURE_HEADER}`],
      allows(answer, 'Access-Control-Allow-Origin', origin) ? [] : ['the 402 does not allow the origin'],
      allows(answer, 'Access-Control-Expose-Headers', PAYMENT_REQUIRED_HEADER)
        ? []
        : [`the 402 does not expose ${PAYMENT_REQUIRED_HEADER}`],
    ].flat();
    return missing.length === 0
      ? ok('CORS', 'pages of other origins can pay')
      : warning('CORS', `pages of other origins can't pay: ${missing.join('; ')}`, fix);
  } catch (error) {
    return warning('CORS', `the preflight fails: ${explain(error).message}`, fix);
  }
}

function allows(response: Response, header: string, wanted: string): boolean {
  const items = (response.headers.get(header) ?? '').split(',').map((item) => item.trim().toLowerCase());
  return items.includes('*') || items.includes(wanted.toLowerCase());
}
