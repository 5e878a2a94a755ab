import { finished } from 'node:stream/promises';
import type { ServerResponse } from 'node:http';
import { type HandlerAnswer, headersOf } from './handler-answer.ts';
import { applyHead, type Chunk, joined, OriginalMethods, writeArguments } from './handler-writes.ts';
import { markPaid } from './reply.ts';

/** A response that is paid for already: it streams, with the receipt in its head. */
export interface PaidStream {
  /**
   * Resolves when the response has left or broke off. `answer` is a copy of a complete 2xx answer, if it was small
   * enough to be kept.
   */
  readonly outcome: Promise<{ readonly isDelivered: boolean; readonly answer?: HandlerAnswer }>;
}

/** Adds the receipt when the head is written, and copies up to `maxCopyBytes` of the body on its way. */
export function streamPaid(response: ServerResponse, receipt: string, maxCopyBytes: number): PaidStream {
  const copy = new BodyCopy(maxCopyBytes);
  let headers: HandlerAnswer['headers'] = [];
  const original = new OriginalMethods(response);
  const writeHead = (...args: unknown[]): unknown => {
    applyHead(response, args);
    headers = headersOf(response);
    markPaid(response, receipt);
    return original.call('writeHead', [response.statusCode]);
  };
  Object.assign(response, {
    writeHead,
    writeHeader: writeHead,
    write: (...args: unknown[]) => {
      copy.add(args);
      return original.call('write', args);
    },
    end: (...args: unknown[]) => {
      copy.add(args);
      return original.call('end', args);
    },
  });
  return { outcome: outcomeOf(response, copy, () => headers) };
}

async function outcomeOf(
  response: ServerResponse,
  copy: BodyCopy,
  headers: () => HandlerAnswer['headers'],
): Promise<Awaited<PaidStream['outcome']>> {
  try {
    await finished(response);
  } catch {
    return { isDelivered: false };
  }
  const { statusCode: status } = response;
  const isDelivered = status >= 200 && status <= 299;
  const body = isDelivered ? copy.bytes() : undefined;
  return body === undefined ? { isDelivered } : { isDelivered, answer: { status, headers: headers(), body } };
}

class BodyCopy {
  readonly #maxBytes: number;
  #chunks: Chunk[] | undefined = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(args: readonly unknown[]): void {
    if (this.#chunks === undefined) return;
    const { chunk } = writeArguments(args);
    if (chunk === undefined) return;
    this.#size += Buffer.byteLength(chunk);
    if (this.#size > this.#maxBytes) this.#chunks = undefined;
    else this.#chunks.push(chunk);
  }

  bytes(): Buffer | undefined {
    return this.#chunks && joined(this.#chunks);
  }
}
