import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Request } from 'express';
import { requestHost } from './request-host.ts';

/** Bytes of a request body up to which a request can be told from others; larger ones get no stored response. */
const MAX_BODY_BYTES = 1_048_576;

/** A hash over texts or bytes that no other list of them has. */
export function digestOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

/**
 * What a request asks for, but for its body: method, host, and URL, as it was sent and as middleware has changed it.
 */
export function requestHead(request: Request): readonly string[] {
  const { method, originalUrl, baseUrl, url } = request;
  return [method, requestHost(request), originalUrl, `${baseUrl}${url}`];
}

/**
 * Hex SHA-256 over host, method, path, query, content type and body: two requests with one fingerprint ask for the
 * same. Undefined if the body is too large, or something else has read it and did not keep its bytes as `rawBody`: what
 * was made of them may differ less than they do. The body stays readable for whoever comes after.
 */
export async function fingerprint(request: Request): Promise<string | undefined> {
  const body = await bodyBytes(request);
  if (body === undefined || body.length > MAX_BODY_BYTES) return undefined;
  return digestOf([...requestHead(request), request.get('content-type') ?? '', body]);
}

async function bodyBytes(request: Request): Promise<Uint8Array | undefined> {
  const hasBody = 'transfer-encoding' in request.headers || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return new Uint8Array();
  // An empty chunked body is complete after one turn; listening to it before would end it for those who come after.
  await setImmediate();
  if (request.complete && request.readableLength === 0 && !request.readableDidRead) return new Uint8Array();
  return request.readableEnded || request.readableDidRead ? rawBody(request) : peekedBody(request);
}

function rawBody(request: Request): Uint8Array | undefined {
  const raw: unknown = Reflect.get(request, 'rawBody');
  return raw instanceof Uint8Array ? raw : undefined;
}

/** Reads the body and puts it back in front of the stream, before the stream has told anybody that it ended. */
function peekedBody(request: Request): Promise<Uint8Array | undefined> {
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
      if (size > MAX_BODY_BYTES) finish(undefined);
      else if (request.complete) finish(Buffer.concat(chunks));
    };
    request.on('readable', read).on('close', closed).on('error', closed);
    read();
  });
}
