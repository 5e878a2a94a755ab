import type { ServerResponse } from 'node:http';
import { markPaid } from './reply.ts';

/** What a handler answered: enough to answer the same again. */
export interface HandlerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly body: Uint8Array;
}

/** Headers of one connection, not of an answer. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
]);

/** The headers that are set on a response, as they can be set again. */
export function headersOf(response: ServerResponse): HandlerAnswer['headers'] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]): HandlerAnswer['headers'] => {
    if (value === undefined || HOP_BY_HOP.has(name)) return [];
    return [[name, typeof value === 'number' ? String(value) : value]];
  });
}

/** Answers the same again, with the receipt of the one payment. */
export function answerAgain(response: ServerResponse, { status, headers, body }: HandlerAnswer, receipt: string): void {
  response.statusCode = status;
  for (const [name, value] of headers) response.setHeader(name, value);
  // RFC 9110, 8.6: a 204 has no length.
  if (status !== 204) response.setHeader('Content-Length', body.length);
  markPaid(response, receipt);
  response.end(body);
}
