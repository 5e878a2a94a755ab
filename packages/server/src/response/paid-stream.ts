import type { ServerResponse } from 'node:http';
import { Delivery } from './delivery.ts';
import { type HandlerAnswer, headersOf } from './handler-answer.ts';
import { applyHead, type Chunk, joined, OriginalMethods, writeArguments } from './handler-writes.ts';
import type { HeldShare } from './held-bytes.ts';
import { markPaid } from './reply.ts';

/** A response that is already paid for. It streams, with the receipt in its head. */
export interface PaidStream {
  /**
   * Resolves when the response has left or broke off (see `Delivery`). `answer` is a copy of a complete 2xx answer, if
   * it was small enough to be kept.
   */
  readonly outcome: Promise<{ readonly isDelivered: boolean; readonly answer?: HandlerAnswer }>;
}

/** Adds the receipt when the head is written, and copies the body while there is room. */
export function streamPaid(response: ServerResponse, receipt: string, room: CopyRoom): PaidStream {
  const copy = new BodyCopy(room);
  const delivery = new Delivery(response);
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
      return original.call('write', hasBytes(args) ? calling(delivery.writing(), args) : args);
    },
    end: (...args: unknown[]) => {
      copy.add(args);
      if (hasBytes(args)) delivery.writing();
      delivery.ending();
      return original.call('end', args);
    },
  });
  return { outcome: outcomeOf(response, delivery, () => ({ headers, body: copy.bytes() })) };
}

async function outcomeOf(
  response: ServerResponse,
  delivery: Delivery,
  copied: () => Pick<HandlerAnswer, 'headers'> & { readonly body: Buffer | undefined },
): Promise<Awaited<PaidStream['outcome']>> {
  const isComplete = (await delivery.outcome()) === 'delivered';
  const { statusCode: status } = response;
  const isDelivered = isComplete && status >= 200 && status <= 299;
  const { headers, body } = copied();
  return isDelivered && delivery.isEnded && body !== undefined
    ? { isDelivered, answer: { status, headers, body } }
    : { isDelivered };
}

function hasBytes([chunk]: readonly unknown[]): boolean {
  return (typeof chunk === 'string' || chunk instanceof Uint8Array) && chunk.length > 0;
}

/** The arguments of a write that calls back `first`, and then what it was given. */
function calling(first: (error?: Error | null) => void, args: readonly unknown[]): readonly unknown[] {
  const { callback } = writeArguments([undefined, ...args.slice(1)]);
  const both = (error?: Error | null): void => {
    first(error);
    callback?.(error ?? undefined);
  };
  return [...args.filter((argument) => typeof argument !== 'function'), both];
}

/** Where a copy of the body may be kept. */
export interface CopyRoom {
  readonly maxBytes: number;
  readonly share: HeldShare;
}

class BodyCopy {
  readonly #room: CopyRoom;
  #chunks: Chunk[] | undefined = [];
  #size = 0;

  constructor(room: CopyRoom) {
    this.#room = room;
  }

  add(args: readonly unknown[]): void {
    if (this.#chunks === undefined) return;
    const { chunk } = writeArguments(args);
    if (chunk === undefined) return;
    const bytes = Buffer.byteLength(chunk);
    this.#size += bytes;
    if (this.#size <= this.#room.maxBytes && this.#room.share.take(bytes)) this.#chunks.push(chunk);
    else this.#chunks = undefined;
  }

  bytes(): Buffer | undefined {
    return this.#chunks && joined(this.#chunks);
  }
}
