import { isAllZero, sameBytes } from '../codec/bytes.ts';
import { MAX_UINT64 } from '../codec/integer.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { addHolding, existingAsset } from '../ledger/asset-holding.ts';
import { addressKey } from '../transaction/address-key.ts';
import { minBalanceOf } from '../ledger/min-balance.ts';
import { Refusal } from '../transaction/refusal.ts';
import type { StateDelta } from '../ledger/state/state.ts';

/** Creates µAlgo in an account. */
export function fund(state: StateDelta, address: Uint8Array, microAlgos: bigint): void {
  const owner = addressKey(address);
  const balance = state.account(owner).microAlgos + requirePositive(microAlgos);
  if (balance > MAX_UINT64) throw new Refusal(`the account would hold more than ${MAX_UINT64} µAlgo`);
  state.changeAccount(owner, { microAlgos: balance });
}

export interface Dealing {
  readonly address: Uint8Array;
  readonly assetId: bigint;
  readonly amount: bigint;
  readonly parameters: ConsensusParameters;
}

/** Creates units of an asset in an account; if necessary, opts the account in and raises its balance to the minimum. */
export function deal(state: StateDelta, { address, assetId, amount, parameters }: Dealing): void {
  const owner = addressKey(address);
  const { params } = existingAsset(state, assetId);
  requirePositive(amount);
  if (state.holding(owner, assetId) === undefined) addHolding(state, owner, assetId, { frozen: params.defaultFrozen });
  const holding = state.holding(owner, assetId) ?? { amount: 0n, frozen: false };
  if (holding.amount + amount > MAX_UINT64) throw new Refusal(`the account would hold more than ${MAX_UINT64} units`);
  state.setHolding(owner, assetId, { ...holding, amount: holding.amount + amount });
  const account = state.account(owner);
  const minimum = minBalanceOf(account, parameters);
  if (account.microAlgos < minimum) state.changeAccount(owner, { microAlgos: minimum });
}

/** Sets the key that signs for an account, as a rekey does. With its own address or none, it signs for itself again. */
export function setAuthAddress(state: StateDelta, address: Uint8Array, authAddress: Uint8Array): void {
  const owner = addressKey(address);
  const isOwn = sameBytes(address, authAddress) || isAllZero(authAddress);
  state.changeAccount(owner, { authAddress: isOwn ? undefined : authAddress });
}

export interface Freezing {
  readonly address: Uint8Array;
  readonly assetId: bigint;
  readonly frozen: boolean;
}

/** Freezes or thaws an account's holding of an asset, regardless of the asset's freeze address. */
export function setFrozen(state: StateDelta, { address, assetId, frozen }: Freezing): void {
  const owner = addressKey(address);
  const holding = state.holding(owner, assetId);
  if (holding === undefined) throw new Refusal(`the account has not opted in to asset ${assetId}`);
  state.setHolding(owner, assetId, { ...holding, frozen });
}

function requirePositive(amount: bigint): bigint {
  if (amount > 0n && amount <= MAX_UINT64) return amount;
  throw new Refusal(`an amount is a whole number from 1 to ${MAX_UINT64}, not ${amount}`);
}
