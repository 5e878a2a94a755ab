import { X402Error } from '@avm402/core/errors';
import { Counts } from '../counts.ts';

/**
 * Bounds the requests that are worked on at a time. A peer may have as many of them as there are places left for others,
 * so no crowd from one address takes them all.
 */
export class WorkUnderWay {
  readonly #places: number;
  #count = 0;
  readonly #byPeer = new Counts();

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
    const own = peer === undefined ? 0 : this.#byPeer.of(peer);
    if (own > 0 && own >= this.#places - this.#count) throw new X402Error('facilitator_busy');
    this.#count += 1;
    const endOwn = peer === undefined ? undefined : this.#byPeer.add(peer);
    return () => {
      this.#count -= 1;
      endOwn?.();
    };
  }
}
