import { MAX_INT64, MAX_UINT64 } from '../codec/integer.ts';
import { addressText, type AddressKey } from '../transaction/address-key.ts';
import { Refusal } from '../transaction/refusal.ts';
import type { StateDelta } from './state/state.ts';
import type { CreatedAsset } from './state/tables.ts';

/** An amount of an asset, and its owner. */
export interface HoldingMove {
  readonly assetId: bigint;
  readonly owner: AddressKey;
  readonly amount: bigint;
  /** True for a clawback and for a close to the asset's creator: both work on frozen holdings. */
  readonly ignoreFreeze: boolean;
}

/** Looks up an asset. @throws Refusal when it does not exist */
export function existingAsset(state: StateDelta, assetId: bigint): CreatedAsset {
  const asset = state.asset(assetId);
  if (asset === undefined) throw new Refusal(`asset ${assetId} does not exist or has been deleted`);
  return asset;
}

/** The asset that an account opts in to. algod's database holds ids as signed integers; larger ones fail here. */
export function assetToOptInTo(state: StateDelta, assetId: bigint): CreatedAsset {
  if (assetId <= MAX_INT64) return existingAsset(state, assetId);
  throw new Refusal('sql: converting argument $2 type: uint64 values with high bit set are not supported');
}

/** Adds an empty holding to an account, or with `amount` the creator's full one. */
export function addHolding(
  state: StateDelta,
  owner: AddressKey,
  assetId: bigint,
  { amount = 0n, frozen = false }: { readonly amount?: bigint; readonly frozen?: boolean },
): void {
  state.changeAccount(owner, { totalAssets: state.account(owner).totalAssets + 1 });
  state.setHolding(owner, assetId, { amount, frozen });
}

export function removeHolding(state: StateDelta, owner: AddressKey, assetId: bigint): void {
  state.changeAccount(owner, { totalAssets: state.account(owner).totalAssets - 1 });
  state.setHolding(owner, assetId, undefined);
}

/** Counts an asset that an account has created; with -1, one that was destroyed or has another creator now. */
export function countCreated(state: StateDelta, creator: AddressKey, change: 1 | -1): void {
  state.changeAccount(creator, { totalCreatedAssets: state.account(creator).totalCreatedAssets + change });
}

/** @throws Refusal when the holding does not exist, is frozen, or is too small */
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
