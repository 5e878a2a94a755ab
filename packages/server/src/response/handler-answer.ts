import type { ServerResponse } from 'node:http';
import { markPaid } from './reply.ts';

/** A handler's response, complete enough to be sent again. */
export interface HandlerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly body: Uint8Array;
}

/** Headers that belong to the connection, not to the response. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
]);

/** The headers of a response, without those of its connection. */
export function headersOf(response: ServerResponse): HandlerAnswer['headers'] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]): HandlerAnswer['headers'] => {
    if (value === undefined || HOP_BY_HOP.has(name)) return [];
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
