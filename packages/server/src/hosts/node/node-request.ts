import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { parametersOf, type RequestFacts } from '../../request/request-facts.ts';
import { pathOfTarget } from '../../routes/path-readings.ts';
import { originOf } from './request-origin.ts';

/** A request of Node's HTTP server. No proxy is trusted. */
export class NodeRequest<R extends IncomingMessage = IncomingMessage> implements RequestFacts {
  readonly subject: R;

  constructor(request: R) {
    this.subject = request;
  }

  get method(): string {
    return this.subject.method ?? 'GET';
  }

  get target(): string {
    return this.subject.url ?? '/';
  }

  get url(): string {
    return this.target;
  }

  get path(): string {
    return pathOfTarget(this.url);
  }

  get mountedPath(): string {
    return this.path;
  }

  get isOverHttp2(): boolean {
    return this.subject.httpVersionMajor > 1;
  }

  get host(): string {
    return this.header('host') ?? '';
  }

  get origin(): string {
    return originOf(this.subject.socket);
  }

  get address(): string {
    return this.subject.socket.remoteAddress ?? '';
  }

  get query(): Readonly<Record<string, unknown>> {
    return parametersOf(new URLSearchParams(this.url.split('?').slice(1).join('?')));
  }

  get body(): unknown {
    return undefined;
  }

  header(name: string): string | undefined {
    const value = this.subject.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  withoutHeaders(names: ReadonlySet<string>): void {
    withoutHeaders(this.subject, names);
  }

  bodyParts(limit: number, keep: (bytes: number) => void): Promise<readonly Uint8Array[] | undefined> {
    return bodyParts(this.subject, limit, keep);
  }
}

/** Called before a part is kept. */
type Keep = (bytes: number) => void;

/**
 * The bytes of a request's body. Undefined if there are more than `limit`, or if something else has read them and did
 * not keep them as `rawBody`. The body stays readable for later handlers.
 * @param keep - called with the number of bytes of each part before it is kept; an error that it throws ends the
 * reading
 */
async function bodyParts(
  request: IncomingMessage,
  limit: number,
  keep: Keep,
): Promise<readonly Uint8Array[] | undefined> {
  const hasBody = 'transfer-encoding' in request.headers || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return [];
  // An empty chunked body is complete after one turn; listening to it earlier would end it for later readers.
  await setImmediate();
  if (request.complete && request.readableLength === 0 && !request.readableDidRead) return [];
  const { readableEnded, readableDidRead, destroyed } = request;
  if (!readableEnded && !readableDidRead && !destroyed) return peekedBody(request, limit, keep);
  const body = rawBody(request);
  return body !== undefined && body.length <= limit ? [body] : undefined;
}

function rawBody(request: IncomingMessage): Uint8Array | undefined {
  const raw: unknown = Reflect.get(request, 'rawBody');
  return raw instanceof Uint8Array ? raw : undefined;
}

/** Reads the body and puts it back in front of the stream before the stream reports its end. */
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
      // Reading an empty stream would end it for later readers.
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

/** Removes headers everywhere that Node keeps them. */
function withoutHeaders(request: IncomingMessage, names: ReadonlySet<string>): void {
  const isKept = (index: number): boolean => !names.has(request.rawHeaders[index - (index % 2)]?.toLowerCase() ?? '');
  for (const name of names) {
    delete request.headers[name];
    delete request.headersDistinct[name];
  }
  request.rawHeaders = request.rawHeaders.filter((_text, index) => isKept(index));
}
