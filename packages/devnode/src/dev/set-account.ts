import { sameBytes } from '../codec/bytes.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import { addressKey, type AddressKey } from '../transaction/address-key.ts';
import { Refusal } from '../transaction/refusal.ts';

/** Sets the key that signs for an account, as a rekey does; an account's own address makes it sign for itself again. */
export function setAuthAddress(state: StateDelta, address: Uint8Array, authAddress: Uint8Array): void {
  const owner = addressKey(address);
  const own = sameBytes(address, authAddress);
  state.setAccount(owner, { ...state.account(owner), authAddress: own ? undefined : authAddress });
}

export interface Freezing {
  readonly owner: AddressKey;
  readonly assetId: bigint;
  readonly frozen: boolean;
}

/** Freezes what an account holds of an asset, or thaws it, whoever the asset's freeze address is. */
export function setFrozen(state: StateDelta, { owner, assetId, frozen }: Freezing): void {
  const holding = state.holding(owner, assetId);
  if (holding === undefined) throw new Refusal(`the account has not opted in to asset ${assetId}`);
  state.setHolding(owner, assetId, { ...holding, frozen });
}
