import { isAllZero } from '../../codec/bytes.ts';
import type { Transaction } from '../../codec/schema/transaction.ts';
import { addressKey, type AddressKey, addressText } from '../../transaction/address-key.ts';
import {
  addHolding,
  addToHolding,
  assetToOptInTo,
  existingAsset,
  removeHolding,
  takeFromHolding,
  type HoldingMove,
} from '../asset-holding.ts';
import { Refusal } from '../../transaction/refusal.ts';
import type { ApplyContext } from './context.ts';

/** Applies an `axfer` (go-algorand ledger/apply/asset.go, AssetTransfer). */
export function applyAssetTransfer(transfer: Transaction, context: ApplyContext): void {
  const { state } = context;
  const { transferAsset: assetId, assetAmount: amount } = transfer;
  const clawback = !isAllZero(transfer.assetSender);
  const source = clawback ? clawbackSource(transfer, context) : context.sender;
  const receiver = addressKey(transfer.assetReceiver);
  if (amount === 0n && receiver === source && !clawback && state.holding(source, assetId) === undefined) {
    addHolding(state, source, assetId, { frozen: assetToOptInTo(state, assetId).params.defaultFrozen });
  }
  takeFromHolding(state, { assetId, owner: source, amount, ignoreFreeze: clawback });
  addToHolding(state, { assetId, owner: receiver, amount, ignoreFreeze: clawback });
  if (isAllZero(transfer.assetCloseTo)) return;
  if (clawback) throw new Refusal('cannot close asset by clawback');
  closeHolding(transfer, context);
}

function clawbackSource({ transferAsset, assetSender }: Transaction, { state, sender }: ApplyContext): AddressKey {
  const { clawback } = existingAsset(state, transferAsset).params;
  if (isAllZero(clawback) || addressKey(clawback) !== sender) {
    throw new Refusal(
      `clawback not allowed: sender ${addressText(sender)}, clawback ${addressText(addressKey(clawback))}`,
    );
  }
  return addressKey(assetSender);
}

/** Moves the rest of the holding to `aclose` and ends the opt-in. */
function closeHolding(transfer: Transaction, { state, sender, effects }: ApplyContext): void {
  const { transferAsset: assetId } = transfer;
  if (state.account(sender).totalAssets === 0) {
    throw new Refusal(
      `cannot close asset holding on account ${addressText(sender)} : account is not opted in asset ${assetId} `,
    );
  }
  const asset = state.asset(assetId);
  if (asset?.creator === sender) throw new Refusal('cannot close asset ID in allocating account');
  const holding = state.holding(sender, assetId);
  if (holding === undefined) throw new Refusal(`asset ${assetId} not present in account ${addressText(sender)}`);
  effects.assetClosingAmount = holding.amount;
  const closeTo = addressKey(transfer.assetCloseTo);
  const move: Omit<HoldingMove, 'owner'> = {
    assetId,
    amount: holding.amount,
    ignoreFreeze: asset?.creator === closeTo,
  };
  takeFromHolding(state, { ...move, owner: sender });
  addToHolding(state, { ...move, owner: closeTo });
  const rest = state.holding(sender, assetId)?.amount ?? 0n;
  if (rest !== 0n) throw new Refusal(`asset ${assetId} not zero (${rest}) after closing`);
  removeHolding(state, sender, assetId);
}
