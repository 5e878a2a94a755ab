import type { ServerResponse } from 'node:http';
import type { X402Error } from '@avm402/core/errors';
import { type BodyRoom, HeldBody } from '../../response/held-body.ts';
import type { HandlerAnswer } from '../../response/held-answer.ts';
import { type HeaderValue, markPaid } from '../../response/reply.ts';
import type { PaidStream } from '../../response/responder.ts';
import { Delivery, hadLastBytes } from './delivery.ts';
import { OriginalMethods } from './original-methods.ts';
import { ResponseHead } from './response-head.ts';
import { partOf } from './response-writes.ts';

/**
 * Adds the receipt when the head is written, and copies the body while there is room. A body that ends before the length
 * that it announces breaks the connection off.
 */
export function streamPaid(response: ServerResponse, receipt: string, room: BodyRoom): PaidStream {
  const copy = new HeldBody(room);
  const delivery = new Delivery(response);
  const copyOf = (args: readonly unknown[]): void => {
    const { chunk } = partOf(args);
    if (chunk !== undefined) copy.add(chunk);
  };
  let headers: HandlerAnswer['headers'] = [];
  let announced: HeaderValue;
  const cutOff = (): X402Error | undefined => copy.cutOff(response.statusCode, announced);
  const original = new OriginalMethods(response);
  const writeHead = (...args: unknown[]): unknown => {
    headers = new ResponseHead(response, args).kept;
    if (!response.hasHeader('content-encoding')) announced = response.getHeader('content-length');
    markPaid(response, receipt);
    return original.call('writeHead', [response.statusCode]);
  };
  Object.assign(response, {
    writeHead,
    writeHeader: writeHead,
    write: (...args: unknown[]) => {
      copyOf(args);
      return original.call('write', hasBytes(args) ? calling(delivery.writing(), args) : args);
    },
    end: (...args: unknown[]) => {
      copyOf(args);
      if (hasBytes(args)) delivery.writing();
      delivery.ending();
      const { socket } = response.req;
      // The head, which announces the length, may be written only now.
      response.once('finish', () => cutOff() && socket.destroySoon());
      return original.call('end', args);
    },
  });
  const copied = () => ({ headers, body: copy.isWhole ? copy.bytes : undefined, cutOff: cutOff() });
  return { outcome: outcomeOf(response, delivery, copied) };
}

/** Describes an answer that has left or broken off. */
interface Copied extends Pick<HandlerAnswer, 'headers'> {
  /** Absent if there was no room for it. */
  readonly body: Buffer | undefined;
  /** Why it was not all that it announced, if so. */
  readonly cutOff: X402Error | undefined;
}

async function outcomeOf(
  response: ServerResponse,
  delivery: Delivery,
  copied: () => Copied,
): Promise<Awaited<PaidStream['outcome']>> {
  const isComplete = await delivery.isWhole();
  const { statusCode: status } = response;
  const { headers, body, cutOff } = copied();
  if (isComplete && cutOff !== undefined) return { isDelivered: false, error: cutOff };
  // A kept copy can be sent again. Without one, it matters whether the last bytes arrived.
  const hasArrived = isComplete && (body !== undefined || (await hadLastBytes(response)));
  const isDelivered = hasArrived && status >= 200 && status <= 299;
  return isDelivered && delivery.isEnded && body !== undefined
    ? { isDelivered, answer: { status, headers, body } }
    : { isDelivered };
}

function hasBytes([chunk]: readonly unknown[]): boolean {
  return (typeof chunk === 'string' || chunk instanceof Uint8Array) && chunk.length > 0;
}

/** The arguments of a write that calls `first`, and then the callback that it was given. */
function calling(first: (error?: Error | null) => void, args: readonly unknown[]): readonly unknown[] {
  const { callback } = partOf([undefined, ...args.slice(1)]);
  const both = (error?: Error | null): void => {
    first(error);
    callback?.(error ?? undefined);
  };
  return [...args.filter((argument) => typeof argument !== 'function'), both];
}
