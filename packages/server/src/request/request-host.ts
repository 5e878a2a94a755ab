import type { Request } from 'express';

/** The host that was asked: as a proxy that the app trusts says, else as the request does. */
export function requestHost(request: Request): string {
  const forwarded = isFromTrustedProxy(request) ? request.get('x-forwarded-host') : undefined;
  return forwarded?.split(',', 1)[0]?.trim() ?? request.get('host') ?? '';
}

/** Whether a request came through a proxy that the app trusts (`app.set('trust proxy', …)`). */
export function isFromTrustedProxy(request: Request): boolean {
  const trusts: unknown = request.app.get('trust proxy fn');
  return typeof trusts === 'function' && trusts(request.socket.remoteAddress, 0) === true;
}
