import type { Request } from 'express';
import { isFromTrustedProxy, requestHost } from '../request/request-host.ts';

/** Characters; a longer URL is cut to its path or origin, so that the asker can't blow up the offer's header. */
const MAX_URL_LENGTH = 1024;

/**
 * The URL that an offer names. It comes from configuration, or from the headers of a proxy that the app trusts
 * (`app.set('trust proxy', …)`), never from the Host header of whoever asks: what stands there is catalogued.
 * Without either it is the address that this server was reached at.
 */
export function resourceUrl(request: Request, publicUrl: string | undefined): string {
  const origin = publicUrl ?? (isFromTrustedProxy(request) ? forwardedOrigin(request) : socketOrigin(request));
  const url = `${origin.replace(/\/+$/, '')}${targetPath(request)}`;
  if (url.length <= MAX_URL_LENGTH) return url;
  const withoutQuery = url.split('?', 1)[0] ?? '';
  return withoutQuery.length <= MAX_URL_LENGTH ? withoutQuery : origin;
}

function targetPath(request: Request): string {
  return request.originalUrl.startsWith('/') ? request.originalUrl : request.path;
}

function forwardedOrigin(request: Request): string {
  const host = requestHost(request);
  const isOrigin = /^https?$/i.test(request.protocol) && /^[a-z0-9.:[\]-]+$/i.test(host);
  return isOrigin ? `${request.protocol}://${host}` : socketOrigin(request);
}

function socketOrigin({ socket }: Request): string {
  const protocol = 'encrypted' in socket ? 'https' : 'http';
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  return `${protocol}://${address.includes(':') ? `[${address}]` : address}:${socket.localPort ?? 80}`;
}
