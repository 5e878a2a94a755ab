import type { Request } from 'express';
import type { RequestFacts } from '../request/request-facts.ts';
import { bodyBytes } from './body-bytes.ts';
import { socketOrigin } from './socket-origin.ts';
import { withoutHeaders } from './without-headers.ts';

/** A request to an Express app. Its proxies are those of `app.set('trust proxy', …)`. */
export class ExpressRequest implements RequestFacts {
  readonly subject: Request;

  constructor(request: Request) {
    this.subject = request;
  }

  get method(): string {
    return this.subject.method;
  }

  get target(): string {
    return this.subject.originalUrl;
  }

  get url(): string {
    return `${this.subject.baseUrl}${this.subject.url}`;
  }

  get path(): string {
    return `${this.subject.baseUrl}${this.subject.path}`;
  }

  get mountedPath(): string {
    return this.subject.path;
  }

  get host(): string {
    const forwarded = this.#isFromTrustedProxy() ? this.header('x-forwarded-host') : undefined;
    return forwarded?.split(',', 1)[0]?.trim() ?? this.header('host') ?? '';
  }

  get origin(): string {
    const { protocol, socket } = this.subject;
    const isOrigin = /^https?$/i.test(protocol) && /^[a-z0-9.:[\]-]+$/i.test(this.host);
    return isOrigin && this.#isFromTrustedProxy() ? `${protocol}://${this.host}` : socketOrigin(socket);
  }

  get address(): string {
    return this.subject.ip ?? '';
  }

  get query(): Readonly<Record<string, unknown>> {
    return this.subject.query;
  }

  get body(): unknown {
    return this.subject.body;
  }

  header(name: string): string | undefined {
    return this.subject.get(name);
  }

  withoutHeaders(names: ReadonlySet<string>): void {
    withoutHeaders(this.subject, names);
  }

  bodyBytes(limit: number): Promise<Uint8Array | undefined> {
    return bodyBytes(this.subject, limit);
  }

  #isFromTrustedProxy(): boolean {
    const { app, socket } = this.subject;
    const trusts: unknown = app.get('trust proxy fn');
    return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true;
  }
}
