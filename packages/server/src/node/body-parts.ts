import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/** What is asked before a part is kept. */
type Keep = (bytes: number) => void;

/**
 * The bytes of a request's body; undefined if there are more than `limit`, or something else has read them and did not
 * keep them as `rawBody`. The body stays readable for whoever comes after.
 * @param keep - told of each part's bytes before it is kept; what it throws ends the reading
 */
export async function bodyParts(
  request: IncomingMessage,
  limit: number,
  keep: Keep,
): Promise<readonly Uint8Array[] | undefined> {
  const hasBody = 'transfer-encoding' in request.headers || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return [];
  // An empty chunked body is complete after one turn; listening to it before would end it for those who come after.
  await setImmediate();
  if (request.complete && request.readableLength === 0 && !request.readableDidRead) return [];
  if (!request.readableEnded && !request.readableDidRead) return peekedBody(request, limit, keep);
  const body = rawBody(request);
  return body !== undefined && body.length <= limit ? [body] : undefined;
}

function rawBody(request: IncomingMessage): Uint8Array | undefined {
  const raw: unknown = Reflect.get(request, 'rawBody');
  return raw instanceof Uint8Array ? raw : undefined;
}

/** Reads the body and puts it back in front of the stream, before the stream has told anybody that it ended. */
function peekedBody(request: IncomingMessage, limit: number, keep: Keep): Promise<readonly Uint8Array[] | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const leave = (): void => {
      request.off('readable', read).off('close', closed).off('error', closed);
      for (const part of parts.toReversed()) request.unshift(part);
    };
    const finish = (body: readonly Uint8Array[] | undefined): void => {
      leave();
      resolve(body);
    };
    const closed = (): void => finish(undefined);
    const read = (): void => {
      try {
        takeParts();
      } catch (error) {
        leave();
        reject(error);
      }
    };
    const takeParts = (): void => {
      // Reading an empty stream would end it for those who come after.
      while (request.readableLength > 0) {
        keep(request.readableLength);
        const part: unknown = request.read();
        if (!Buffer.isBuffer(part)) break;
        parts.push(part);
        size += part.length;
      }
      if (size > limit) finish(undefined);
      else if (request.complete) finish(parts);
    };
    request.on('readable', read).on('close', closed).on('error', closed);
    read();
  });
}
