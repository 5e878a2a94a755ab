import { MAX_UINT64 } from '../codec/integer.ts';
import type { Account } from './account.ts';
import { type AddressKey, addressText } from '../transaction/address-key.ts';
import { Refusal } from '../transaction/refusal.ts';
import { REWARD_UNIT } from './state/money-totals.ts';
import type { StateDelta } from './state/state.ts';
import { moneyText } from '@avm402/teal/go';

/**
 * Moves µAlgo (go-algorand ledger/eval/cow.go, Move). Moving zero writes nothing to an account too small to earn
 * rewards, so the minimum balance rule does not treat that account as changed.
 * @throws Refusal `overspend` or `balance overflow`
 */
export function moveMoney(state: StateDelta, from: AddressKey, to: AddressKey, microAlgos: bigint): void {
  const payer = state.account(from);
  if (payer.microAlgos < microAlgos) {
    throw new Refusal(`overspend (${describe(from, payer)}, tried to spend ${moneyText(microAlgos)})`);
  }
  setBalance(state, from, payer, -microAlgos);
  const receiver = state.account(to);
  if (receiver.microAlgos + microAlgos > MAX_UINT64) {
    throw new Refusal(`balance overflow (${describe(to, receiver)}, was going to receive ${moneyText(microAlgos)})`);
  }
  setBalance(state, to, receiver, microAlgos);
}

function setBalance(state: StateDelta, key: AddressKey, account: Account, change: bigint): void {
  if (change === 0n && account.microAlgos < REWARD_UNIT) return;
  state.setAccount(key, { ...account, microAlgos: account.microAlgos + change });
}

function describe(key: AddressKey, { status, microAlgos }: Account): string {
  const data = `{Status:${status} MicroAlgos:${moneyText(microAlgos)}}`;
  return `account ${addressText(key)}, data ${data}`;
}
