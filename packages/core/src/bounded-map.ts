/** A map with a fixed capacity: a new entry beyond it evicts the entry that was set longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const oldest = this.keys().next();
    if (this.size > this.#capacity && oldest.done === false) this.delete(oldest.value);
    return this;
  }
}
