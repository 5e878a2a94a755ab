import { X402Error } from '@avm402/core/errors';
import { type ServerResponse, validateHeaderValue } from 'node:http';
import { type Chunk, type HandlerAnswer, OF_ONE_EXCHANGE } from '../../response/handler-answer.ts';
import { markPriced, type Reply } from '../../response/reply.ts';
import type { StreamPart } from '../../response/stream-taker.ts';

/**
 * Reads `write(chunk, encoding?, callback?)` and `end(chunk?, encoding?, callback?)`, in all their forms. Bytes are
 * copied, because the handler may reuse its buffer after the callback.
 */
export function partOf(args: readonly unknown[]): StreamPart {
  const callback = args.find((argument) => typeof argument === 'function');
  const chunk = typeof args[0] === 'function' ? undefined : args[0];
  return {
    ...(chunk === undefined || chunk === null ? {} : { chunk: chunkOf(chunk, args[1]) }),
    ...(isCallback(callback) ? { callback } : {}),
  };
}

/** Applies `writeHead(status, message?, headers?)` to the response without sending anything. */
export function applyHead(response: ServerResponse, args: readonly unknown[]): void {
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

function chunkOf(chunk: unknown, encoding: unknown): Chunk {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk === 'string') {
    const isEncoded = typeof encoding === 'string' && Buffer.isEncoding(encoding) && !/^utf-?8$/i.test(encoding);
    return isEncoded ? Buffer.from(chunk, encoding) : chunk;
  }
  throw new X402Error('invalid_response_body', {
    message: `a response body is text or bytes, not ${chunk === null ? 'null' : typeof chunk}`,
  });
}

function isCallback(value: unknown): value is Required<StreamPart>['callback'] {
  return typeof value === 'function';
}

const ANSWER_METHODS = [
  'writeHead',
  'writeHeader',
  'write',
  'end',
  'flushHeaders',
  'writeInformation',
  'writeEarlyHints',
  'writeProcessing',
  'addTrailers',
] as const;

/** The methods that can send something. `writeHeader` is Node's older name for `writeHead`. */
export type AnswerMethod = (typeof ANSWER_METHODS)[number];

/** The methods of a response before they were replaced. */
export class OriginalMethods {
  readonly #response: ServerResponse;
  readonly #methods: ReadonlyMap<AnswerMethod, unknown>;

  constructor(response: ServerResponse) {
    this.#response = response;
    // Some versions of Node lack some of these methods.
    this.#methods = new Map(ANSWER_METHODS.map((name) => [name, Reflect.get(response, name)]));
  }

  call(name: AnswerMethod, args: readonly unknown[]): unknown {
    const method = this.#methods.get(name);
    return typeof method === 'function' ? Reflect.apply(method, this.#response, args) : undefined;
  }

  /** Removes all replacements, including those of other middleware, so that Node's own methods are left. */
  remove(): void {
    for (const name of ANSWER_METHODS) Reflect.deleteProperty(this.#response, name);
  }

  /** Puts one method back. */
  restore(name: AnswerMethod): void {
    Object.assign(this.#response, { [name]: this.#methods.get(name) });
  }
}

/**
 * The head of a response as it was when a handler wrote it. Later changes, made while the response is held, would have
 * been too late in Node, so they are not part of what was paid for.
 */
export class ResponseHead {
  readonly #response: ServerResponse;
  readonly #status: number;
  readonly #message: string;
  readonly #headers: ReturnType<ServerResponse['getHeaders']>;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#status = response.statusCode;
    this.#message = response.statusMessage;
    this.#headers = response.getHeaders();
  }

  restore(): void {
    const response = this.#response;
    response.statusCode = this.#status;
    response.statusMessage = this.#message;
    for (const name of response.getHeaderNames()) if (!(name in this.#headers)) response.removeHeader(name);
    for (const [name, value] of Object.entries(this.#headers)) {
      if (value !== undefined && response.getHeader(name) !== value) response.setHeader(name, value);
    }
  }
}

/** The headers of a response, without those of its connection and its request. */
export function headersOf(response: ServerResponse): HandlerAnswer['headers'] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]): HandlerAnswer['headers'] => {
    if (value === undefined || OF_ONE_EXCHANGE.has(name)) return [];
    return [[name, typeof value === 'number' ? String(value) : value]];
  });
}

/** Sends a reply, which caches don't keep unless its headers say so. Calls `end` with the body. */
export function writeReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  end: (body: string | Uint8Array) => void = (bytes) => response.end(bytes),
): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // RFC 9110, 8.6: a 204 has no length.
  if (status !== 204) response.setHeader('Content-Length', Buffer.byteLength(body));
  markPriced(response);
  end(body);
}
