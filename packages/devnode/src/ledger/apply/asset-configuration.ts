import { isAllZero } from '../../codec/bytes.ts';
import { assetParams, type Transaction, type AssetParams } from '../../codec/schema/transaction.ts';
import { addressKey, addressText } from '../../transaction/address-key.ts';
import { addHolding, countCreated, existingAsset, removeHolding } from '../asset-holding.ts';
import { Refusal } from '../../transaction/refusal.ts';
import type { CreatedAsset } from '../state/tables.ts';
import type { ApplyContext } from './context.ts';

/** Applies an `acfg` (go-algorand ledger/apply/asset.go, AssetConfig). */
export function applyAssetConfiguration(transaction: Transaction, context: ApplyContext): void {
  const { configAsset: assetId, assetParams: params } = transaction;
  if (assetId === 0n) {
    createAsset(params, context);
    return;
  }
  const asset = existingAsset(context.state, assetId);
  const { manager } = asset.params;
  if (isAllZero(manager) || addressKey(manager) !== context.sender) {
    const [issuer, key] = [addressText(context.sender), addressText(addressKey(manager))];
    throw new Refusal(
      `this transaction should be issued by the manager. It is issued by ${issuer}, manager key ${key}`,
    );
  }
  if (assetParams.isUnset(params)) destroyAsset(assetId, asset, context);
  else context.state.setAsset(assetId, { ...asset, params: withRoles(asset.params, params) });
}

/** Usually the id of the new asset is the number of the transaction that creates it. */
function createAsset(params: AssetParams, { state, sender, number, effects }: ApplyContext): void {
  let assetId = number;
  // Differs from algod: imported-ids
  while (state.asset(assetId) !== undefined) assetId++;
  addHolding(state, sender, assetId, { amount: params.total });
  countCreated(state, sender, 1);
  state.setAsset(assetId, { creator: sender, params });
  effects.configAsset = assetId;
}

function destroyAsset(assetId: bigint, { creator, params }: CreatedAsset, { state }: ApplyContext): void {
  const holding = state.holding(creator, assetId)?.amount ?? 0n;
  if (holding !== params.total) {
    throw new Refusal(`cannot destroy asset: creator is holding only ${holding}/${params.total}`);
  }
  removeHolding(state, creator, assetId);
  countCreated(state, creator, -1);
  state.setAsset(assetId, undefined);
}

/** Only roles can change, and a role that was cleared stays cleared. */
function withRoles(params: AssetParams, { manager, reserve, freeze, clawback }: AssetParams): AssetParams {
  return {
    ...params,
    manager: isAllZero(params.manager) ? params.manager : manager,
    reserve: isAllZero(params.reserve) ? params.reserve : reserve,
    freeze: isAllZero(params.freeze) ? params.freeze : freeze,
    clawback: isAllZero(params.clawback) ? params.clawback : clawback,
  };
}
