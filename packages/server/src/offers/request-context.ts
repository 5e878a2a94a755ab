import type { HTTPAdapter, HTTPRequestContext } from '@x402/core/server';
import type { Request } from 'express';
import type { RoutePattern } from '../routes/route-pattern.ts';

/** What a dynamic price, payTo or body function is told about the request, in stock's shape. */
export function requestContext(request: Request, route: RoutePattern, url: string): HTTPRequestContext {
  const paymentHeader = request.get('payment-signature');
  return {
    adapter: adapterOf(request, url),
    path: request.path,
    method: request.method,
    routePattern: route.path,
    ...(paymentHeader === undefined ? {} : { paymentHeader }),
  };
}

function adapterOf(request: Request, url: string): HTTPAdapter {
  return {
    getHeader: (name) => request.get(name),
    getMethod: () => request.method,
    getPath: () => request.path,
    getUrl: () => url,
    getAcceptHeader: () => request.get('accept') ?? '',
    getUserAgent: () => request.get('user-agent') ?? '',
    getQueryParams: () => Object.fromEntries(Object.entries(request.query).flatMap(textual)),
    getQueryParam: (name) => textual([name, request.query[name]])[0]?.[1],
    getBody: (): unknown => request.body,
  };
}

/** Only what the type promises: a parameter that was parsed into an object is left out. */
function textual([name, value]: [string, unknown]): [string, string | string[]][] {
  if (typeof value === 'string') return [[name, value]];
  const isTextList = Array.isArray(value) && value.every((item): item is string => typeof item === 'string');
  return isTextList ? [[name, value]] : [];
}
