import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Request } from 'express';

/** Bytes of a request body up to which a request can be told from others; larger ones get no stored response. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * Hex SHA-256 over method, path, query, content type and body: two requests with one fingerprint ask for the same.
 * Undefined if the body is too large, or was consumed in a form whose bytes can't be had any more. The body stays
 * readable for whoever comes after.
 */
export function fingerprint(request: Request): Promise<string | undefined> {
  const known = fingerprints.get(request);
  if (known !== undefined) return known;
  const taken = takeFingerprint(request);
  fingerprints.set(request, taken);
  return taken;
}

/** The body can be looked at only once. */
const fingerprints = new WeakMap<Request, Promise<string | undefined>>();

async function takeFingerprint(request: Request): Promise<string | undefined> {
  const body = await bodyBytes(request);
  if (body === undefined) return undefined;
  const head = [request.method, request.originalUrl, request.get('content-type') ?? ''];
  const text = head.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
  return createHash('sha256').update(`${text}${body.length}:`).update(body).digest('hex');
}

async function bodyBytes(request: Request): Promise<Uint8Array | undefined> {
  const hasBody = 'transfer-encoding' in request.headers || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return new Uint8Array();
  // An empty chunked body is complete after one turn; listening to it before would end it for those who come after.
  await setImmediate();
  if (request.complete && request.readableLength === 0 && !request.readableDidRead) return new Uint8Array();
  return request.readableEnded || request.readableDidRead ? parsedBody(request) : peekedBody(request);
}

/** A parser ran before us: what it kept of the bytes, or what it made of them, which is all that a handler sees. */
function parsedBody(request: Request): Uint8Array | undefined {
  const raw: unknown = Reflect.get(request, 'rawBody');
  const body: unknown = request.body;
  if (raw instanceof Uint8Array) return raw;
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return Buffer.from(body);
  const isPlain = request.is(['json', '+json', 'urlencoded']);
  return typeof isPlain === 'string' ? Buffer.from(canonicalJson(body)) : undefined;
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

/** JSON with sorted keys: two bodies that parse to the same are the same request. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}
