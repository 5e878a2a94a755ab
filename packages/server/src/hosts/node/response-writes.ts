import { X402Error } from '@avm402/core/errors';
import type { ServerResponse } from 'node:http';
import type { Chunk } from '../../response/held-body.ts';
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
