import { parseRequestId, REQUEST_ID_HEADER } from '@avm402/core/request-id';
import type { ReplayableRequest } from './replayable-request.ts';

interface Sending {
  readonly url: string;
  readonly init: RequestInit;
  readonly fetch: typeof fetch;
}

/**
 * Sends a request once, with its trace context, and remembers its answer's id.
 * @throws what fetch throws
 */
export async function send({ trace, heard }: ReplayableRequest, { url, init, fetch }: Sending): Promise<Response> {
  const sent = new Headers(init.headers);
  for (const [name, value] of Object.entries(trace.headers)) sent.set(name, value);
  trace.message('sent', { method: init.method, url }, sent);
  const response = await fetch(url, { ...init, headers: sent });
  const { status, headers } = response;
  heard.requestId = parseRequestId(headers.get(REQUEST_ID_HEADER)) ?? heard.requestId;
  trace.message('received', { status }, headers);
  return response;
}
