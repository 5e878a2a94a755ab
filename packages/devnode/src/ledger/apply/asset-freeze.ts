import { isAllZero } from '../../codec/bytes.ts';
import type { Transaction } from '../../codec/schema/transaction.ts';
import { addressKey, addressText } from '../../transaction/address-key.ts';
import { existingAsset } from '../asset-holding.ts';
import { Refusal } from '../../transaction/refusal.ts';
import type { ApplyContext } from './context.ts';

/** Applies an `afrz` (go-algorand ledger/apply/asset.go, AssetFreeze). */
export function applyAssetFreeze(transaction: Transaction, { state, sender }: ApplyContext): void {
  const { freezeAsset: assetId, assetFrozen: frozen } = transaction;
  const { freeze } = existingAsset(state, assetId).params;
  if (isAllZero(freeze) || addressKey(freeze) !== sender) {
    throw new Refusal(`freeze not allowed: sender ${addressText(sender)}, freeze ${addressText(addressKey(freeze))}`);
  }
  const owner = addressKey(transaction.freezeAccount);
  const holding = state.holding(owner, assetId);
  if (holding === undefined) throw new Refusal('asset not found in account');
  state.setHolding(owner, assetId, { ...holding, frozen });
}
