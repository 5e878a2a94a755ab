import type { ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER } from '@avm402/core/request-id';
import { markPaid } from './reply.ts';

/** A handler's response, complete enough to be sent again. */
export interface HandlerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly body: Uint8Array;
}

/** Headers that belong to the connection or to the request, not to the response. */
const OF_ONE_EXCHANGE: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  REQUEST_ID_HEADER.toLowerCase(),
]);

/** The headers of a response, without those of its connection and its request. */
export function headersOf(response: ServerResponse): HandlerAnswer['headers'] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]): HandlerAnswer['headers'] => {
    if (value === undefined || OF_ONE_EXCHANGE.has(name)) return [];
    return [[name, typeof value === 'number' ? String(value) : value]];
  });
}

/** Sends a stored response again, with the receipt of its payment. */
export function answerAgain(response: ServerResponse, { status, headers, body }: HandlerAnswer, receipt: string): void {
  response.statusCode = status;
  for (const [name, value] of headers) response.setHeader(name, value);
  // RFC 9110, 8.6: a 204 has no length.
  if (status !== 204) response.setHeader('Content-Length', body.length);
  markPaid(response, receipt);
  response.end(body);
}
