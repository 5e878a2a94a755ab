/** Counts of something by name, such as the requests of each peer. A name with a count of 0 takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts one more, until the function that it returns is called. Call that once. */
  add(name: string): () => void {
    this.#counts.set(name, this.of(name) + 1);
    return () => {
      const left = this.of(name) - 1;
      if (left > 0) this.#counts.set(name, left);
      else this.#counts.delete(name);
    };
  }
}
