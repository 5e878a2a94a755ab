import { LayeredMap } from '../layered-map.ts';

/** Ids by owner, e.g. of the assets that each account holds. */
export class OwnedIds<Owner, Id extends bigint | string> {
  readonly #ids = new LayeredMap<Owner, Set<Id>>();

  /** Ascending. */
  of(owner: Owner): Id[] {
    return [...(this.#ids.get(owner) ?? [])].sort((a, b) => (a < b ? -1 : 1));
  }

  set(owner: Owner, id: Id, isOwned: boolean): void {
    const known = this.#ids.get(owner);
    const ids = known !== undefined && this.#ids.isFresh(owner) ? known : new Set(known);
    if (isOwned) ids.add(id);
    else ids.delete(id);
    this.#ids.set(owner, ids.size === 0 ? undefined : ids);
  }

  mark(): () => void {
    return this.#ids.mark();
  }
}
