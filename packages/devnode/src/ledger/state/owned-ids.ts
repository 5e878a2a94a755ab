import type { AddressKey } from '../../transaction/address-key.ts';

/** Ids of what each account has, e.g. of the assets that it holds. */
export class OwnedIds {
  readonly #ids = new Map<AddressKey, Set<bigint>>();

  /** Ascending. */
  of(owner: AddressKey): bigint[] {
    return [...(this.#ids.get(owner) ?? [])].sort((a, b) => (a < b ? -1 : 1));
  }

  set(owner: AddressKey, id: bigint, isOwned: boolean): void {
    const ids = this.#ids.get(owner) ?? new Set();
    if (isOwned) ids.add(id);
    else ids.delete(id);
    if (ids.size === 0) this.#ids.delete(owner);
    else this.#ids.set(owner, ids);
  }
}
