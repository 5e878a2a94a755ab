import type { AssetHolding } from '../ledger/account.ts';
import type { Chain } from '../ledger/chain.ts';
import { ownerAndAsset, type Application, type CreatedAsset } from '../ledger/state/tables.ts';
import type { AddressKey } from '../transaction/address-key.ts';

/** A holding and its owner. */
export interface OwnedHolding {
  readonly owner: AddressKey;
  readonly holding: AssetHolding;
}

/** All accounts, in the order of the bytes of their addresses. */
export function allAccounts({ state }: Chain): AddressKey[] {
  return Array.from(state.tables.accounts.entries(), ([key]) => key).sort(byBytes);
}

/** The holders of an asset, in the order of the bytes of their addresses. */
export function holdersOf({ state }: Chain, assetId: bigint): OwnedHolding[] {
  const found: OwnedHolding[] = [];
  for (const [key, holding] of state.tables.holdings.entries()) {
    const held = ownerAndAsset(key);
    if (held.assetId === assetId) found.push({ owner: held.owner, holding });
  }
  return found.sort((a, b) => byBytes(a.owner, b.owner));
}

/** All assets, in the order of their ids. */
export function allAssets({ state }: Chain): [bigint, CreatedAsset][] {
  return [...state.tables.assets.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** All applications, in the order of their ids. */
export function allApplications({ state }: Chain): [bigint, Application][] {
  return [...state.tables.applications.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The accounts that have opted in to an application. */
export function membersOf({ state }: Chain, applicationId: bigint): AddressKey[] {
  const keys = Array.from(state.tables.localStates.entries(), ([key]) => ownerAndAsset(key));
  return keys.flatMap(({ owner, assetId }) => (assetId === applicationId ? [owner] : [])).sort(byBytes);
}

function byBytes(a: AddressKey, b: AddressKey): number {
  return a < b ? -1 : 1;
}
