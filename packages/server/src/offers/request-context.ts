import type { HTTPAdapter, HTTPRequestContext } from '@x402/core/server';
import type { RequestFacts } from '../request/request-facts.ts';
import type { RoutePattern } from '../routes/route-pattern.ts';

/** In characters. A longer URL is cut to its path or origin, so that a client can't inflate the offer's header. */
const MAX_URL_LENGTH = 1024;

/**
 * The URL that an offer names. It comes from configuration, or from a trusted proxy or the socket, never from the
 * client's Host header, because catalogues list it.
 */
function resourceUrl(request: RequestFacts, publicUrl: string | undefined): string {
  const { target, mountedPath } = request;
  const origin = publicUrl ?? request.origin;
  const url = `${origin.replace(/\/+$/, '')}${target.startsWith('/') ? target : mountedPath}`;
  if (url.length <= MAX_URL_LENGTH) return url;
  const withoutQuery = url.split('?', 1)[0] ?? '';
  return withoutQuery.length <= MAX_URL_LENGTH ? withoutQuery : origin;
}

/**
 * The request as dynamic price, payTo and body functions see it, in stock's shape. The URL of its adapter is the one that
 * an offer names.
 */
export function requestContext(
  request: RequestFacts,
  route: RoutePattern,
  publicUrl: string | undefined,
): HTTPRequestContext {
  const paymentHeader = request.header('payment-signature');
  return {
    adapter: adapterOf(request, publicUrl),
    path: request.mountedPath,
    method: request.method,
    routePattern: route.path,
    ...(paymentHeader !== undefined && { paymentHeader }),
  };
}

function adapterOf(request: RequestFacts, publicUrl: string | undefined): HTTPAdapter {
  const url = resourceUrl(request, publicUrl);
  return {
    getHeader: (name) => request.header(name),
    getMethod: () => request.method,
    getPath: () => request.mountedPath,
    getUrl: () => url,
    getAcceptHeader: () => request.header('accept') ?? '',
    getUserAgent: () => request.header('user-agent') ?? '',
    getQueryParams: () => Object.fromEntries(Object.entries(request.query).flatMap(textual)),
    getQueryParam: (name) => textual([name, request.query[name]])[0]?.[1],
    getBody: (): unknown => request.body,
  };
}

/** Keeps only what the type promises: a parameter that was parsed into an object is left out. */
function textual([name, value]: [string, unknown]): [string, string | string[]][] {
  if (typeof value === 'string') return [[name, value]];
  const isTextList = Array.isArray(value) && value.every((item): item is string => typeof item === 'string');
  return isTextList ? [[name, value]] : [];
}
