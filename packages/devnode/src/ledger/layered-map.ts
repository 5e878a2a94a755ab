interface Layer<K, V> {
  /** What was set since the mark below; `undefined` hides what lies under it. */
  readonly values: Map<K, V | undefined>;
  readonly below: Layer<K, V> | undefined;
}

/**
 * A map that can be put back to how it was at a mark, at once however much has changed: a mark freezes what is there and
 * lays an empty layer over it. A look-up goes down layer by layer, so it takes longer with each mark that is kept.
 */
export class LayeredMap<K, V> {
  #top: Layer<K, V> = { values: new Map(), below: undefined };

  get(key: K): V | undefined {
    return find(this.#top, key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  /** Whether the value was set since the last mark. Only then may it be changed in place. */
  isFresh(key: K): boolean {
    return this.#top.values.has(key);
  }

  /** All values, those set last first. */
  *entries(): Generator<[K, V]> {
    const seen = new Set<K>();
    for (let layer: Layer<K, V> | undefined = this.#top; layer !== undefined; layer = layer.below) {
      for (const [key, value] of layer.values) {
        if (value !== undefined && !seen.has(key)) yield [key, value];
        seen.add(key);
      }
    }
  }

  /** `undefined` takes the value away. */
  set(key: K, value: V | undefined): void {
    const { values, below } = this.#top;
    if (value === undefined && find(below, key) === undefined) values.delete(key);
    else values.set(key, value);
  }

  /** Remembers all values. What comes back puts them back, as often as it is called. */
  mark(): () => void {
    const { values, below } = this.#top;
    const frozen = values.size === 0 && below !== undefined ? below : this.#top;
    const putBack = (): void => {
      this.#top = { values: new Map(), below: frozen };
    };
    putBack();
    return putBack;
  }
}

function find<K, V>(top: Layer<K, V> | undefined, key: K): V | undefined {
  for (let layer = top; layer !== undefined; layer = layer.below) {
    const value = layer.values.get(key);
    if (value !== undefined || layer.values.has(key)) return value;
  }
  return undefined;
}
