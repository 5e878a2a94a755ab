import type { AssetHolding } from '../codec/schema/account.ts';
import type { Chain } from '../ledger/chain.ts';
import { ownerAndId } from '../ledger/state/tables.ts';
import type { AddressKey } from '../transaction/address-key.ts';
import { ascending } from '../codec/ascending.ts';

/** A holding and its owner. */
export interface OwnedHolding {
  readonly owner: AddressKey;
  readonly holding: AssetHolding;
}

/** All accounts, in the order of the bytes of their addresses. */
export function allAccounts({ state }: Chain): AddressKey[] {
  return Array.from(state.tables.accounts.entries(), ([key]) => key).sort();
}

/** The holders of an asset, in the order of the bytes of their addresses. */
export function holdersOf({ state }: Chain, assetId: bigint): OwnedHolding[] {
  const found: [AddressKey, AssetHolding][] = [];
  for (const [key, holding] of state.tables.holdings.entries()) {
    const { owner, id } = ownerAndId(key);
    if (id === assetId) found.push([owner, holding]);
  }
  return ascending(found).map(([owner, holding]) => ({ owner, holding }));
}

/** The accounts that have opted in to an application. */
export function membersOf({ state }: Chain, applicationId: bigint): AddressKey[] {
  const keys = Array.from(state.tables.localStates.entries(), ([key]) => ownerAndId(key));
  return keys.flatMap(({ owner, id }) => (id === applicationId ? [owner] : [])).sort();
}
