import type { IncomingHttpHeaders } from 'node:http';
import type { KmdConfig } from './kmd-config.ts';

/** Headers with which pages of an allowed origin may read an answer. */
export function sharing({ origin }: IncomingHttpHeaders, { allowed_origins }: KmdConfig): Record<string, string> {
  if (origin === undefined || !(allowed_origins.includes(origin) || allowed_origins.includes('*'))) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'X-KMD-API-Token, Content-Type',
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  };
}

/** Headers of a preflight's answer with which a page of the public Internet may ask at all, whatever its origin. */
export function privateNetwork(headers: IncomingHttpHeaders, { allow_header_pna }: KmdConfig): Record<string, string> {
  const asked = headers['access-control-request-private-network'] === 'true';
  return allow_header_pna && asked ? { 'access-control-allow-private-network': 'true' } : {};
}
