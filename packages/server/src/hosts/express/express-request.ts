import type { Request } from 'express';
import { NodeRequest } from '../node/node-request.ts';
import { originOf } from '../node/request-origin.ts';

/** What express-ws puts behind the path of a WebSocket, so that no other request reaches its handlers. */
const WEB_SOCKET = /\/\.websocket(?=\?|$)/;

/** A request to an Express app. It trusts the proxies of `app.set('trust proxy', …)`. */
export class ExpressRequest extends NodeRequest<Request> {
  override get target(): string {
    return this.#asAsked(this.subject.originalUrl);
  }

  override get url(): string {
    return this.#asAsked(`${this.subject.baseUrl}${this.subject.url}`);
  }

  override get path(): string {
    return this.#asAsked(`${this.subject.baseUrl}${this.subject.path}`);
  }

  override get mountedPath(): string {
    return this.#asAsked(this.subject.path);
  }

  override get host(): string {
    const forwarded = this.#isFromTrustedProxy() ? this.header('x-forwarded-host') : undefined;
    return forwarded?.split(',', 1)[0]?.trim() ?? super.host;
  }

  override get origin(): string {
    const { protocol, socket } = this.subject;
    return originOf(socket, this.#isFromTrustedProxy() ? { protocol, host: this.host } : undefined);
  }

  override get address(): string {
    return this.subject.ip ?? '';
  }

  override get query(): Readonly<Record<string, unknown>> {
    return this.subject.query;
  }

  override get body(): unknown {
    return this.subject.body;
  }

  /** As the client wrote it. Only express-ws makes this member, for each WebSocket, whose path it changes. */
  #asAsked(url: string): string {
    if (!('wsHandled' in this.subject)) return url;
    const asked = url.replace(WEB_SOCKET, '');
    return asked.startsWith('/') ? asked : `/${asked}`;
  }

  #isFromTrustedProxy(): boolean {
    const { app, socket } = this.subject;
    const trusts: unknown = app.get('trust proxy fn');
    return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true;
  }
}
