import type { ServerResponse } from 'node:http';
import { validateHeaderValue } from '../../node-http.ts';
import { type HandlerAnswer, HOP_BY_HOP_HEADERS } from '../../response/held-answer.ts';

/**
 * The head of a response as a handler wrote it. Later changes, made while the response is held, would have been too late
 * in Node, so they are not part of what was paid for.
 */
export class ResponseHead {
  readonly #response: ServerResponse;
  readonly #message: string;
  readonly #headers: ReturnType<ServerResponse['getHeaders']>;
  readonly status: number;

  /** Applies the arguments of `writeHead(status, message?, headers?)` to the response, and sends nothing. */
  constructor(response: ServerResponse, args: readonly unknown[]) {
    applyHead(response, args);
    this.#response = response;
    this.#message = response.statusMessage;
    this.#headers = response.getHeaders();
    this.status = response.statusCode;
  }

  /**
   * The headers that a stored answer keeps: all but those of its connection and its request. Node takes values of any
   * kind, and sends them as text.
   */
  get kept(): HandlerAnswer['headers'] {
    return Object.entries(this.#headers).flatMap(([name, value]): HandlerAnswer['headers'] => {
      if (value === undefined || HOP_BY_HOP_HEADERS.has(name)) return [];
      return [[name, Array.isArray(value) ? value.map(String) : String(value)]];
    });
  }

  restore(): void {
    const response = this.#response;
    response.statusCode = this.status;
    response.statusMessage = this.#message;
    for (const name of response.getHeaderNames()) if (!(name in this.#headers)) response.removeHeader(name);
    for (const [name, value] of Object.entries(this.#headers)) {
      if (value !== undefined && response.getHeader(name) !== value) response.setHeader(name, value);
    }
  }
}

function applyHead(response: ServerResponse, args: readonly unknown[]): void {
  const [status, message, headers] = typeof args[1] === 'string' ? args : [args[0], undefined, args[1] ?? args[2]];
  if (typeof status === 'number') response.statusCode = status;
  if (typeof message === 'string') response.statusMessage = message;
  // Node checks it only when it writes the head, which is after settlement.
  if (response.statusMessage) validateHeaderValue('Status-Message', response.statusMessage);
  if (Array.isArray(headers)) applyHeaderList(response, headers);
  else if (typeof headers === 'object' && headers !== null) {
    for (const [name, value] of Object.entries(headers)) setHeader(response, name, value);
  }
}

/** Takes `[name, value, name, value]` or `[[name, value]]`. A repeated name adds a value. */
function applyHeaderList(response: ServerResponse, list: readonly unknown[]): void {
  const pairs = Array.isArray(list[0])
    ? list
    : Array.from({ length: list.length / 2 }, (_, i) => list.slice(2 * i, 2 * i + 2));
  const names = new Set<string>();
  for (const pair of pairs) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') continue;
    const [name, value] = [pair[0], headerValue(pair[1])];
    if (value === undefined) continue;
    if (names.has(name.toLowerCase())) response.appendHeader(name, value);
    else response.setHeader(name, value);
    names.add(name.toLowerCase());
  }
}

function setHeader(response: ServerResponse, name: string, value: unknown): void {
  const text = headerValue(value);
  if (text !== undefined) response.setHeader(name, text);
}

function headerValue(value: unknown): string | string[] | undefined {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
