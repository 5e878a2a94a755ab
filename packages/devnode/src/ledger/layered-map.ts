interface Layer<K, V> {
  /** The values set since the mark below; `undefined` hides the value in a lower layer. */
  readonly values: Map<K, V | undefined>;
  readonly below: Layer<K, V> | undefined;
}

/**
 * A map that can return to how it was at a mark, in constant time however much has changed. A mark freezes the present
 * layers and lays an empty one over them. A look-up goes down layer by layer, so it takes longer with each mark kept.
 */
export class LayeredMap<K, V> {
  #top: Layer<K, V> = { values: new Map(), below: undefined };

  get(key: K): V | undefined {
    return find(this.#top, key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  /** Whether the value was set since the last mark; only such values may be changed in place. */
  isFresh(key: K): boolean {
    return this.#top.values.has(key);
  }

  /** All values, those of the latest layer first. */
  *entries(): Generator<[K, V]> {
    const seen = new Set<K>();
    for (let layer: Layer<K, V> | undefined = this.#top; layer !== undefined; layer = layer.below) {
      for (const [key, value] of layer.values) {
        if (value !== undefined && !seen.has(key)) yield [key, value];
        seen.add(key);
      }
    }
  }

  /** `undefined` removes the value. */
  set(key: K, value: V | undefined): void {
    const { values, below } = this.#top;
    if (value === undefined && find(below, key) === undefined) values.delete(key);
    else values.set(key, value);
  }

  /** Remembers all values. The returned function restores them and can be called repeatedly. */
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
