/** How long a seller may be expected to keep an answer, ms. */
export const ANSWER_KEPT_MS = 600_000;
/** The most rounds of a public network in that time. */
export const ANSWER_KEPT_ROUNDS = 240n;
const MAX_HELD = 10_000;

/** Something that left and lacks its answer or its receipt. */
export interface Held {
  /** When it was first missing, ms since 1970. */
  readonly unfinishedSince?: number;
}

export interface UnfinishedOptions<T> {
  readonly now: () => number;
  /** Whether nothing more can come of it. */
  readonly isOver: (held: T) => boolean;
}

/**
 * Holds what left and lacks its answer, by the fingerprint of its request. The next identical request sends the oldest
 * one again instead of paying again.
 */
export class Unfinished<T extends Held> {
  readonly #options: UnfinishedOptions<T>;
  readonly #held = new Map<string, readonly T[]>();
  #count = 0;

  constructor(options: UnfinishedOptions<T>) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The next one for a request with this fingerprint. */
  peek(fingerprint: string): T | undefined {
    return this.#alive(fingerprint)[0];
  }

  /** Takes the next one: no other request gets it meanwhile. */
  take(fingerprint: string): T | undefined {
    const [oldest, ...others] = this.#alive(fingerprint);
    this.#set(fingerprint, others);
    return oldest;
  }

  keep(fingerprint: string, one: T): void {
    this.#set(fingerprint, [...this.#alive(fingerprint), one]);
    const oldest = this.#held.keys().next();
    if (this.#count > MAX_HELD && oldest.done === false) this.#set(oldest.value, []);
  }

  /** Replaces the held one that `fits`. Does nothing if it was taken. */
  replace(fingerprint: string, fits: (one: T) => boolean, by: T): void {
    this.#set(
      fingerprint,
      this.#alive(fingerprint).map((one) => (fits(one) ? by : one)),
    );
  }

  /** Whether it is so old, by the clock, that a seller may no longer keep the answer. */
  isOld({ unfinishedSince }: Held): boolean {
    return unfinishedSince !== undefined && this.#options.now() - unfinishedSince >= ANSWER_KEPT_MS;
  }

  #alive(fingerprint: string): readonly T[] {
    return (this.#held.get(fingerprint) ?? []).filter((one) => !this.#options.isOver(one));
  }

  #set(fingerprint: string, held: readonly T[]): void {
    this.#count += held.length - (this.#held.get(fingerprint)?.length ?? 0);
    this.#held.delete(fingerprint);
    if (held.length > 0) this.#held.set(fingerprint, held);
  }
}
