import type { HTTPAdapter, HTTPRequestContext } from '@x402/core/server';
import type { RequestFacts } from '../request/request-facts.ts';
import type { RoutePattern } from '../routes/route-pattern.ts';

/** The request as dynamic price, payTo and body functions see it, in stock's shape. */
export function requestContext(request: RequestFacts, route: RoutePattern, url: string): HTTPRequestContext {
  const paymentHeader = request.header('payment-signature');
  return {
    adapter: adapterOf(request, url),
    path: request.mountedPath,
    method: request.method,
    routePattern: route.path,
    ...(paymentHeader !== undefined && { paymentHeader }),
  };
}

function adapterOf(request: RequestFacts, url: string): HTTPAdapter {
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
