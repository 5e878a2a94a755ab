interface Point {
  readonly moment: number;
  /** The total of all amounts up to this one. */
  total: bigint;
}

/** Amounts over time. The sum since a moment is found without visiting all of them. */
export class Timeline {
  /** In the order of their moments. */
  readonly #points: Point[] = [];
  /** The total of what was forgotten. */
  #forgotten = 0n;

  get isEmpty(): boolean {
    return this.#points.length === 0;
  }

  /** Adds an amount; fast if amounts come roughly in order. */
  add(moment: number, amount: bigint): void {
    const index = this.#points.findLastIndex((point) => point.moment <= moment) + 1;
    this.#points.splice(index, 0, { moment, total: this.#totalBefore(index) });
    for (const point of this.#points.slice(index)) point.total += amount;
  }

  /** The sum of the amounts at or after a moment. */
  since(moment: number): bigint {
    return this.#totalBefore(this.#points.length) - this.#totalBefore(this.#indexOf(moment));
  }

  /** Drops what came before this moment. */
  forget(moment: number): void {
    const index = this.#indexOf(moment);
    // Moving the others takes time in proportion to their number, so it waits until more than half can go.
    if (index <= this.#points.length / 2) return;
    this.#forgotten = this.#totalBefore(index);
    this.#points.splice(0, index);
  }

  #totalBefore(index: number): bigint {
    return this.#points[index - 1]?.total ?? this.#forgotten;
  }

  /** The first point at or after a moment. */
  #indexOf(moment: number): number {
    let [low, high] = [0, this.#points.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#points[middle]?.moment ?? moment) < moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
