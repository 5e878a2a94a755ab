import { MAX_UINT64 } from '../codec/integer.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { addHolding, existingAsset } from '../ledger/asset-holding.ts';
import type { AddressKey } from '../transaction/address-key.ts';
import { minBalanceOf } from '../ledger/min-balance.ts';
import { Refusal } from '../transaction/refusal.ts';
import type { StateDelta } from '../ledger/state/state.ts';

/** Adds µAlgo to an account out of nothing. */
export function fund(state: StateDelta, owner: AddressKey, microAlgos: bigint): void {
  const account = state.account(owner);
  const balance = account.microAlgos + requirePositive(microAlgos);
  if (balance > MAX_UINT64) throw new Refusal(`the account would hold more than ${MAX_UINT64} µAlgo`);
  state.setAccount(owner, { ...account, microAlgos: balance });
}

export interface Dealing {
  readonly owner: AddressKey;
  readonly assetId: bigint;
  readonly amount: bigint;
  readonly parameters: ConsensusParameters;
}

/** Adds units of an asset to an account out of nothing; opts it in and lifts its balance to the minimum where need be. */
export function deal(state: StateDelta, { owner, assetId, amount, parameters }: Dealing): void {
  const { params } = existingAsset(state, assetId);
  requirePositive(amount);
  if (state.holding(owner, assetId) === undefined) addHolding(state, owner, assetId, { frozen: params.defaultFrozen });
  const holding = state.holding(owner, assetId) ?? { amount: 0n, frozen: false };
  if (holding.amount + amount > MAX_UINT64) throw new Refusal(`the account would hold more than ${MAX_UINT64} units`);
  state.setHolding(owner, assetId, { ...holding, amount: holding.amount + amount });
  const account = state.account(owner);
  const minimum = minBalanceOf(account, parameters);
  if (account.microAlgos < minimum) state.setAccount(owner, { ...account, microAlgos: minimum });
}

function requirePositive(amount: bigint): bigint {
  if (amount > 0n && amount <= MAX_UINT64) return amount;
  throw new Refusal(`an amount is a whole number from 1 to ${MAX_UINT64}, not ${amount}`);
}
