import { MAX_INT64, MAX_UINT64 } from '../codec/integer.ts';
import { formatAddress } from '@avm402/algorand/address';
import { addressOfKey, type AddressKey } from '../transaction/address-key.ts';
import { Refusal } from '../transaction/refusal.ts';
import type { StateDelta } from './state/state.ts';
import type { CreatedAsset } from './state/tables.ts';

/** An amount of an asset and whose it is. */
export interface HoldingMove {
  readonly assetId: bigint;
  readonly owner: AddressKey;
  readonly amount: bigint;
  /** A clawback, and a close to the asset's creator, does not mind freezing. */
  readonly ignoreFreeze: boolean;
}

/** An asset that must exist. */
export function existingAsset(state: StateDelta, assetId: bigint): CreatedAsset {
  const asset = state.asset(assetId);
  if (asset === undefined) throw new Refusal(`asset ${assetId} does not exist or has been deleted`);
  return asset;
}

/** The asset that an account opts in to. algod's database holds ids as signed integers, and a larger one meets it here. */
export function assetToOptInTo(state: StateDelta, assetId: bigint): CreatedAsset {
  if (assetId <= MAX_INT64) return existingAsset(state, assetId);
  throw new Refusal('sql: converting argument $2 type: uint64 values with high bit set are not supported');
}

/** Adds an empty holding to an account (or, with `amount`, the creator's full one). */
export function addHolding(
  state: StateDelta,
  owner: AddressKey,
  assetId: bigint,
  { amount = 0n, frozen = false }: { readonly amount?: bigint; readonly frozen?: boolean },
): void {
  const account = state.account(owner);
  state.setAccount(owner, { ...account, totalAssets: account.totalAssets + 1 });
  state.setHolding(owner, assetId, { amount, frozen });
}

export function removeHolding(state: StateDelta, owner: AddressKey, assetId: bigint): void {
  const account = state.account(owner);
  state.setAccount(owner, { ...account, totalAssets: account.totalAssets - 1 });
  state.setHolding(owner, assetId, undefined);
}

/** @throws Refusal when there is no such holding, it is frozen, or too small */
export function takeFromHolding(state: StateDelta, { assetId, owner, amount, ignoreFreeze }: HoldingMove): void {
  if (amount === 0n) return;
  const holding = state.holding(owner, assetId);
  if (holding === undefined) throw new Refusal(`asset ${assetId} missing from ${addressText(owner)}`);
  if (holding.frozen && !ignoreFreeze) throw new Refusal(`asset ${assetId} frozen in ${addressText(owner)}`);
  if (holding.amount < amount) {
    throw new Refusal(`underflow on subtracting ${amount} from sender amount ${holding.amount}`);
  }
  state.setHolding(owner, assetId, { ...holding, amount: holding.amount - amount });
}

/** @throws Refusal when the receiver has not opted in, is frozen, or would hold too much */
export function addToHolding(state: StateDelta, { assetId, owner, amount, ignoreFreeze }: HoldingMove): void {
  if (amount === 0n) return;
  const holding = state.holding(owner, assetId);
  if (holding === undefined) {
    throw new Refusal(`receiver error: must optin, asset ${assetId} missing from ${addressText(owner)}`);
  }
  if (holding.frozen && !ignoreFreeze) throw new Refusal('asset frozen in recipient');
  if (holding.amount + amount > MAX_UINT64) {
    throw new Refusal(`overflow on adding ${amount} to receiver amount ${holding.amount}`);
  }
  state.setHolding(owner, assetId, { ...holding, amount: holding.amount + amount });
}

export function addressText(key: AddressKey): string {
  return formatAddress(addressOfKey(key));
}
