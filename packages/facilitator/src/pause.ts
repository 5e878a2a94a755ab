/** A pause by a clock that can be set. If the clock was set back, the pause is over; otherwise it might last for years. */
export class Pause {
  #from = 0;
  #ms = 0;

  /** @param now milliseconds since 1970 */
  begin(now: number, ms: number): void {
    this.#from = now;
    this.#ms = ms;
  }

  /** Whether it is over; also before the first one. */
  isOver(now: number): boolean {
    return this.leftMs(now) === 0;
  }

  /** Milliseconds until it is over; 0 if it is. */
  leftMs(now: number): number {
    return now < this.#from ? 0 : Math.max(0, this.#from + this.#ms - now);
  }
}

/** A pause after so many failures in a row, each twice as long as the one before, up to `mostMs`. */
export function backoffMs(failures: number, { firstMs, mostMs }: { firstMs: number; mostMs: number }): number {
  return Math.min(firstMs * 2 ** (failures - 1), mostMs);
}
