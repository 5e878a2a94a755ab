import type { IncomingMessage } from 'node:http';
import { parametersOf } from '../request/parameters-of.ts';
import type { RequestFacts } from '../request/request-facts.ts';
import { pathOfTarget } from '../routes/path-readings.ts';
import { bodyParts } from './body-parts.ts';
import { socketOrigin } from './socket-origin.ts';
import { withoutHeaders } from './without-headers.ts';

/** A request as Node has it. No proxy is trusted. */
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

  get host(): string {
    return this.header('host') ?? '';
  }

  get origin(): string {
    return socketOrigin(this.subject.socket);
  }

  /** The origin that proxies whom the framework trusts tell; else the connection's own. */
  protected toldOrigin(protocol: string, isTrusted: boolean): string {
    const isOrigin = /^https?$/i.test(protocol) && /^[a-z0-9.:[\]-]+$/i.test(this.host);
    return isOrigin && isTrusted ? `${protocol}://${this.host}` : socketOrigin(this.subject.socket);
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
