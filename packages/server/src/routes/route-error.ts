import { X402Error, type X402ErrorCode, type X402ErrorOptions } from '@avm402/core/errors';

/** An error in what a route is sold for; its message and details name the route by its key. */
export function routeError(
  code: X402ErrorCode,
  key: string,
  why: string,
  { details, ...more }: Omit<X402ErrorOptions, 'message'> = {},
): X402Error {
  return new X402Error(code, { ...more, message: `route "${key}": ${why}`, details: { ...details, route: key } });
}
