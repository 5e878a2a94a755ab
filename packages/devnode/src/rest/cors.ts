import type { IncomingHttpHeaders } from 'node:http';

const ANSWER_VARY = 'Accept-Encoding, Origin';
const PREFLIGHT_VARY = `${ANSWER_VARY}, Access-Control-Request-Method, Access-Control-Request-Headers`;

/** Headers of every answer: any origin may read it. */
export function crossOriginHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  if (headers.origin === undefined) return { vary: ANSWER_VARY };
  return { vary: ANSWER_VARY, 'access-control-allow-origin': '*' };
}

export interface Preflight {
  /** Methods of the requested path, if it is known. */
  readonly allow: string | undefined;
  /** algod's `EnablePrivateNetworkAccessHeader`: pages of the public Internet may call a node in a private network. */
  readonly privateNetwork: boolean;
  /** The header in which pages send the token. */
  readonly tokenHeader: string;
}

/** Headers of the answer to OPTIONS, which is 204 on any path. */
export function preflightHeaders(
  headers: IncomingHttpHeaders,
  { allow, privateNetwork, tokenHeader }: Preflight,
): Record<string, string> {
  const asked = headers['access-control-request-private-network'] === 'true';
  return {
    ...(headers.origin === undefined ? { vary: ANSWER_VARY } : crossOriginPreflight(tokenHeader)),
    ...(allow !== undefined && { allow }),
    ...(privateNetwork && asked && { 'access-control-allow-private-network': 'true' }),
  };
}

function crossOriginPreflight(tokenHeader: string): Record<string, string> {
  return {
    vary: PREFLIGHT_VARY,
    'access-control-allow-origin': '*',
    'access-control-allow-headers': `${tokenHeader},Content-Type`,
    'access-control-allow-methods': 'GET,POST,PUT,DELETE,OPTIONS',
  };
}
