import type { IncomingMessage } from 'node:http';
import { X402Error } from '@avm402/core/errors';

/** Counts the bodies of each peer that have begun to arrive and are not complete. */
export class ArrivingBodies {
  readonly #limit: number;
  readonly #byPeer = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Counts the request's body, if it has one, until the body is read or its sender has left.
   * @throws X402Error `too_many_requests`
   */
  arrives(peer: string, request: IncomingMessage): void {
    if (!hasBody(request)) return;
    const count = this.#byPeer.get(peer) ?? 0;
    if (count >= this.#limit) {
      const message = `more than ${this.#limit} requests at a time whose bodies are not complete`;
      throw new X402Error('too_many_requests', { message });
    }
    this.#byPeer.set(peer, count + 1);
    request.once('close', () => this.#gone(peer));
  }

  #gone(peer: string): void {
    const left = (this.#byPeer.get(peer) ?? 1) - 1;
    if (left === 0) this.#byPeer.delete(peer);
    else this.#byPeer.set(peer, left);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
