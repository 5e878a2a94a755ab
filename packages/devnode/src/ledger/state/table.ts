import { LayeredMap } from '../layered-map.ts';

/** One kind of state, read by key. A key that was never set, or was cleared, has no value. */
export interface TableView<K, V> {
  get(key: K): V | undefined;
}

/** Changes laid over a table, which is not modified. A change to `undefined` clears a key. */
export class Changes<K, V> implements TableView<K, V> {
  readonly #below: TableView<K, V>;
  /** Made with the first change: most groups change only accounts. */
  #changed: Map<K, V | undefined> | undefined;

  constructor(below: TableView<K, V>) {
    this.#below = below;
  }

  get(key: K): V | undefined {
    const changed = this.#changed?.get(key);
    return changed === undefined && !this.#changed?.has(key) ? this.#below.get(key) : changed;
  }

  set(key: K, value: V | undefined): void {
    this.#map.set(key, value);
  }

  /** Only the changed entries. */
  entries(): Iterable<[K, V | undefined]> {
    return this.#changed ?? [];
  }

  /** Adds the changes that were laid over these. */
  merge(later: Changes<K, V>): void {
    if (later.#changed === undefined) return;
    for (const [key, value] of later.#changed) this.#map.set(key, value);
  }

  get #map(): Map<K, V | undefined> {
    return (this.#changed ??= new Map());
  }
}

/** Called with every change of a value in a table. */
export type OnChange<K, V> = (key: K, before: V | undefined, after: V | undefined) => void;

/** The confirmed values of one kind of state. */
export class Table<K, V> implements TableView<K, V> {
  readonly #values = new LayeredMap<K, V>();
  readonly #onChange: OnChange<K, V>;

  constructor(onChange: OnChange<K, V> = () => {}) {
    this.#onChange = onChange;
  }

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  entries(): Iterable<[K, V]> {
    return this.#values.entries();
  }

  /** Makes changes permanent; adds those that would undo them to `undo`. */
  apply(changes: Changes<K, V>, undo: Changes<K, V>): void {
    for (const [key, after] of changes.entries()) {
      const before = this.#values.get(key);
      undo.set(key, before);
      this.#values.set(key, after);
      this.#onChange(key, before, after);
    }
  }

  /** Remembers all values. The returned function restores them without calling `OnChange`. */
  mark(): () => void {
    return this.#values.mark();
  }
}
