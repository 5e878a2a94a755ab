import { X402Error } from '@avm402/core/errors';

/**
 * Bounds the requests that are worked on at a time. A peer may have as many of them as there are places left for others,
 * so no crowd from one address takes them all.
 */
export class WorkUnderWay {
  readonly #places: number;
  #count = 0;
  readonly #byPeer = new Map<string, number>();

  constructor(places: number) {
    this.#places = places;
  }

  /** @throws X402Error `facilitator_busy` */
  check(): void {
    if (this.#count >= this.#places) throw new X402Error('facilitator_busy');
  }

  /**
   * Counts a request until the function that it returns is called. Without a peer, only the total is bounded.
   * @throws X402Error `facilitator_busy`
   */
  begin(peer?: string): () => void {
    this.check();
    const own = peer === undefined ? 0 : (this.#byPeer.get(peer) ?? 0);
    if (own > 0 && own >= this.#places - this.#count) throw new X402Error('facilitator_busy');
    this.#count += 1;
    if (peer !== undefined) this.#byPeer.set(peer, own + 1);
    return () => this.#end(peer);
  }

  #end(peer: string | undefined): void {
    this.#count -= 1;
    if (peer === undefined) return;
    const left = (this.#byPeer.get(peer) ?? 1) - 1;
    if (left === 0) this.#byPeer.delete(peer);
    else this.#byPeer.set(peer, left);
  }
}
