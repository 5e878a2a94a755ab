import { X402Error } from '@avm402/core/errors';
import { randomBytes } from '@noble/hashes/utils.js';

/**
 * The slots of a mandate that this process knows to be taken. Another process with the agent's key may have taken more:
 * the chain refuses a second payment in a slot, and {@link MandateSlots.hold} then says so here.
 */
export class MandateSlots {
  readonly #count: bigint;
  readonly #random: (bytes: number) => Uint8Array;
  /** The last round in which each slot is taken. */
  readonly #heldUntil = new Map<bigint, bigint>();

  /** @param random - cryptographically random bytes; default: the platform's */
  constructor(count: bigint, random: (bytes: number) => Uint8Array = randomBytes) {
    this.#count = count;
    this.#random = random;
  }

  /**
   * Takes one of the free slots at random, so that processes with one key seldom choose the same.
   * @param lastRound - the chain's latest round
   * @param until - the last valid round of the payment
   * @throws X402Error `mandate_exhausted`, with the round after which a slot is free in `details.round`
   */
  take(lastRound: bigint, until: bigint): bigint {
    const free = this.free(lastRound);
    const [first = 0, second = 0, third = 0, fourth = 0] = this.#random(4);
    const slot = free[(((first * 256 + second) * 256 + third) * 256 + fourth) % free.length];
    if (slot === undefined) throw this.#exhausted();
    this.hold(slot, until);
    return slot;
  }

  /** The slots that are free after this round, as far as this process knows. */
  free(lastRound: bigint): bigint[] {
    const slots = Array.from({ length: Number(this.#count) }, (_, index) => BigInt(index + 1));
    return slots.filter((slot) => (this.#heldUntil.get(slot) ?? 0n) <= lastRound);
  }

  /** Learns that a slot is taken until a round, by this process or another. */
  hold(slot: bigint, until: bigint): void {
    if (until > (this.#heldUntil.get(slot) ?? 0n)) this.#heldUntil.set(slot, until);
  }

  /** Gives back a slot that `take` returned: its payment never leaves. */
  release(slot: bigint): void {
    this.#heldUntil.delete(slot);
  }

  #exhausted(): X402Error {
    const [round = 0n] = [...this.#heldUntil.values()].toSorted((one, other) => (one < other ? -1 : 1));
    return new X402Error('mandate_exhausted', {
      message: `all ${this.#count} slots of the mandate are taken; the next one is free after round ${round}`,
      details: { round: round.toString() },
    });
  }
}
