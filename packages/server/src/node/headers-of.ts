import type { ServerResponse } from 'node:http';
import { type HandlerAnswer, OF_ONE_EXCHANGE } from '../response/handler-answer.ts';

/** The headers of a response, without those of its connection and its request. */
export function headersOf(response: ServerResponse): HandlerAnswer['headers'] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]): HandlerAnswer['headers'] => {
    if (value === undefined || OF_ONE_EXCHANGE.has(name)) return [];
    return [[name, typeof value === 'number' ? String(value) : value]];
  });
}
