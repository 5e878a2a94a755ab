/** Room in memory for one payer's response. */
export interface HeldShare {
  /** Takes room for more bytes; returns whether there was enough. */
  take(bytes: number): boolean;
  /** Gives all its room back. From then on there is none: a handler may go on writing after its client has left. */
  free(): void;
}

/** Limits the bytes of responses that are held or copied, for each payer and in total. */
export class HeldBytes {
  readonly #maxPerPayer: number;
  readonly #maxInTotal: number;
  readonly #byPayer = new Map<string, number>();
  #total = 0;

  constructor(maxPerPayer: number, maxInTotal: number) {
    this.#maxPerPayer = maxPerPayer;
    this.#maxInTotal = maxInTotal;
  }

  /** A share for one response. */
  share(payer: string): HeldShare {
    let taken = 0;
    let isFree = false;
    const change = (bytes: number): void => {
      const left = (this.#byPayer.get(payer) ?? 0) + bytes;
      taken += bytes;
      this.#total += bytes;
      if (left > 0) this.#byPayer.set(payer, left);
      else this.#byPayer.delete(payer);
    };
    return {
      take: (bytes) => {
        const own = this.#byPayer.get(payer) ?? 0;
        if (isFree || own + bytes > this.#maxPerPayer || this.#total + bytes > this.#maxInTotal) return false;
        change(bytes);
        return true;
      },
      free: () => {
        isFree = true;
        change(-taken);
      },
    };
  }
}
