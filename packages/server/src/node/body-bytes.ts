import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/**
 * The bytes of a request's body; undefined if there are more than `limit`, or something else has read them and did not
 * keep them as `rawBody`. The body stays readable for whoever comes after.
 */
export async function bodyBytes(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  const hasBody = 'transfer-encoding' in request.headers || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return new Uint8Array();
  // An empty chunked body is complete after one turn; listening to it before would end it for those who come after.
  await setImmediate();
  if (request.complete && request.readableLength === 0 && !request.readableDidRead) return new Uint8Array();
  const isRead = request.readableEnded || request.readableDidRead;
  const body = isRead ? rawBody(request) : await peekedBody(request, limit);
  return body !== undefined && body.length <= limit ? body : undefined;
}

function rawBody(request: IncomingMessage): Uint8Array | undefined {
  const raw: unknown = Reflect.get(request, 'rawBody');
  return raw instanceof Uint8Array ? raw : undefined;
}

/** Reads the body and puts it back in front of the stream, before the stream has told anybody that it ended. */
function peekedBody(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (body: Uint8Array | undefined): void => {
      request.off('readable', read).off('close', closed).off('error', closed);
      if (chunks.length > 0) request.unshift(Buffer.concat(chunks));
      resolve(body);
    };
    const closed = (): void => finish(undefined);
    const read = (): void => {
      // Reading an empty stream would end it for those who come after.
      while (request.readableLength > 0) {
        const chunk: unknown = request.read();
        if (!Buffer.isBuffer(chunk)) break;
        chunks.push(chunk);
        size += chunk.length;
      }
      if (size > limit) finish(undefined);
      else if (request.complete) finish(Buffer.concat(chunks));
    };
    request.on('readable', read).on('close', closed).on('error', closed);
    read();
  });
}
