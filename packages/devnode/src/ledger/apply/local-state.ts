import { addTotals, type ApplicationTotals } from '../account.ts';
import { Refusal } from '../../transaction/refusal.ts';
import { type AddressKey, addressText } from '../../transaction/address-key.ts';
import type { StateDelta } from '../state/state.ts';
import type { StateSchema } from '../../codec/schema/application.ts';
import type { ApplyContext } from './context.ts';

/** Adds to an account's totals of applications. */
export function changeTotals(state: StateDelta, owner: AddressKey, change: Partial<ApplicationTotals>): void {
  state.changeAccount(owner, { applications: addTotals(state.account(owner).applications, change) });
}

/** The totals that a schema adds to the account that pays for it; with -1, those that it takes away. */
export function totalsOf({ uints, byteSlices }: StateSchema, sign: 1 | -1) {
  return { uints: sign * Number(uints), byteSlices: sign * Number(byteSlices) };
}

/** Opts the sender in to an application that exists. */
export function optIn({ state, sender }: ApplyContext, id: bigint): void {
  const schema = state.application(id)?.params.localSchema;
  if (schema === undefined) return;
  if (state.localState(sender, id) !== undefined) {
    throw new Refusal(`account ${addressText(sender)} has already opted in to app ${id}`);
  }
  changeTotals(state, sender, { ...totalsOf(schema, 1), optedIn: 1 });
  state.setLocalState(sender, id, { schema, keys: new Map() });
}

/** Ends the sender's state in an application. */
export function closeLocalState({ state, sender: owner }: ApplyContext, id: bigint): void {
  const local = state.localState(owner, id);
  if (local === undefined) return;
  changeTotals(state, owner, { ...totalsOf(local.schema, -1), optedIn: -1 });
  state.setLocalState(owner, id, undefined);
}
