import type { IncomingMessage } from 'node:http';
import { X402Error } from '@avm402/core/errors';
import { Counts } from '../counts.ts';

/** Counts the bodies of each peer that have begun to arrive and are not complete. */
export class ArrivingBodies {
  readonly #limit: number;
  readonly #byPeer = new Counts();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Counts the request's body, if it has one, until the body is read or its sender has left.
   * @throws X402Error `too_many_requests`
   */
  arrives(peer: string, request: IncomingMessage): void {
    if (!hasBody(request)) return;
    if (this.#byPeer.of(peer) >= this.#limit) {
      const message = `more than ${this.#limit} requests at a time whose bodies are not complete`;
      throw new X402Error('too_many_requests', { message });
    }
    request.once('close', this.#byPeer.add(peer));
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
