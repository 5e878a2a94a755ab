import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Access } from './route.ts';

export interface AuthenticationOptions {
  readonly token: string;
  readonly adminToken: string;
  /** False: public routes need no token (algod's `DisableAPIAuth`); admin routes and developer controls still do. */
  readonly auth: boolean;
}

/** Decides whether a request's token opens a route. */
export type Authenticate = (access: Access, headers: IncomingHttpHeaders) => boolean;

export function createAuthentication({ token, adminToken, auth }: AuthenticationOptions): Authenticate {
  const isToken = equalityWith(token);
  const isAdminToken = equalityWith(adminToken);
  return (access, headers) => {
    if (access === 'open') return true;
    const needed = auth || access === 'admin' || access === 'loopback';
    if (!needed) return true;
    const given = givenToken(headers);
    return isAdminToken(given) || (access !== 'admin' && isToken(given));
  };
}

/** The token in `X-Algo-API-Token`; if that is missing or empty, the one in `Authorization: Bearer`. */
function givenToken(headers: IncomingHttpHeaders): string {
  const own = headers['x-algo-api-token'];
  if (typeof own === 'string' && own !== '') return own;
  const authorization = headers.authorization ?? '';
  const space = authorization.indexOf(' ');
  const scheme = authorization.slice(0, Math.max(0, space));
  return scheme.toLowerCase() === 'bearer' ? authorization.slice(space + 1) : '';
}

/** Compares in a time that reveals only the length of the expected text. */
export function equalityWith(expected: string): (given: string) => boolean {
  const wanted = Buffer.from(expected);
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  };
}
