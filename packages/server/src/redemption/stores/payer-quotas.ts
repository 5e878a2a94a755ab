interface Entry {
  readonly payer: string;
  readonly weight: number;
}

export interface PayerQuotasOptions {
  readonly maxWeight: number;
  readonly maxWeightPerPayer: number;
}

/**
 * Limits what is kept on account of payers, in total and for each of them, so that what one payer brings displaces that
 * payer's own entries first. The oldest is dropped first; the newest always stays.
 */
export class PayerQuotas {
  readonly #options: PayerQuotasOptions;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #keysByPayer = new Map<string, Set<string>>();
  readonly #weights = new Map<string, number>();
  #weight = 0;

  constructor(options: PayerQuotasOptions) {
    this.#options = options;
  }

  /** Adds an entry; returns the keys of the entries that are dropped for it. */
  add(key: string, { payer, weight }: Entry): readonly string[] {
    const { maxWeight, maxWeightPerPayer } = this.#options;
    this.remove(key);
    const own = this.#keysByPayer.get(payer) ?? new Set();
    this.#entries.set(key, { payer, weight });
    this.#keysByPayer.set(payer, own.add(key));
    this.#change(payer, weight);
    const isOverShare = (): boolean => (this.#weights.get(payer) ?? 0) > maxWeightPerPayer;
    return [
      ...this.#drop(own, key, isOverShare),
      ...this.#drop(this.#entries.keys(), key, () => this.#weight > maxWeight),
    ];
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { payer, weight } = entry;
    const own = this.#keysByPayer.get(payer);
    this.#entries.delete(key);
    own?.delete(key);
    if (own?.size === 0) this.#keysByPayer.delete(payer);
    this.#change(payer, -weight);
  }

  #drop(keys: Iterable<string>, newest: string, isTooMuch: () => boolean): readonly string[] {
    const dropped: string[] = [];
    for (const key of keys) {
      if (!isTooMuch() || key === newest) break;
      this.remove(key);
      dropped.push(key);
    }
    return dropped;
  }

  #change(payer: string, weight: number): void {
    const left = (this.#weights.get(payer) ?? 0) + weight;
    this.#weight += weight;
    if (left > 0) this.#weights.set(payer, left);
    else this.#weights.delete(payer);
  }
}
