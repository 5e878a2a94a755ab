import type { AddressKey } from '../../transaction/address-key.ts';
import { LayeredMap } from '../layered-map.ts';

/** Ids by owner, e.g. of the assets that each account holds. */
export class OwnedIds {
  readonly #ids = new LayeredMap<AddressKey, Set<bigint>>();

  /** Ascending. */
  of(owner: AddressKey): bigint[] {
    return [...(this.#ids.get(owner) ?? [])].sort((a, b) => (a < b ? -1 : 1));
  }

  set(owner: AddressKey, id: bigint, isOwned: boolean): void {
    const known = this.#ids.get(owner);
    const ids = known !== undefined && this.#ids.isFresh(owner) ? known : new Set(known);
    if (isOwned) ids.add(id);
    else ids.delete(id);
    this.#ids.set(owner, ids.size === 0 ? undefined : ids);
  }

  /** Remembers all ids. The returned function restores them. */
  mark(): () => void {
    return this.#ids.mark();
  }
}
