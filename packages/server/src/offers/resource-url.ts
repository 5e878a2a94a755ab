import type { RequestFacts } from '../request/request-facts.ts';

/** In characters. A longer URL is cut to its path or origin, so that a client can't inflate the offer's header. */
const MAX_URL_LENGTH = 1024;

/**
 * The URL that an offer names. It comes from configuration, or from a trusted proxy or the socket, never from the
 * client's Host header, because catalogues list it.
 */
export function resourceUrl(request: RequestFacts, publicUrl: string | undefined): string {
  const { target, mountedPath } = request;
  const origin = publicUrl ?? request.origin;
  const url = `${origin.replace(/\/+$/, '')}${target.startsWith('/') ? target : mountedPath}`;
  if (url.length <= MAX_URL_LENGTH) return url;
  const withoutQuery = url.split('?', 1)[0] ?? '';
  return withoutQuery.length <= MAX_URL_LENGTH ? withoutQuery : origin;
}
