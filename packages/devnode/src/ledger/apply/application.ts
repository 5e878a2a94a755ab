import { isAllZero, ZERO_32 } from '../../codec/bytes.ts';
import { applicationParams, type ApplicationParams } from '../../codec/schema/application.ts';
import { stateSchema, type Transaction } from '../../codec/schema/transaction.ts';
import { programsTooLong } from '../../form/program-size.ts';
import { addressKey, addressOfKey, type AddressKey } from '../../transaction/address-key.ts';
import { Refusal } from '../../transaction/refusal.ts';
import { countsOf, schemaProblem } from '../key-values.ts';
import type { Application } from '../state/tables.ts';
import type { ApplyContext } from './context.ts';
import { changeTotals, totalsOf } from './local-state.ts';

/** Creates an application and gives its id, which is the number of the transaction that creates it. */
export function createApplication(call: Transaction, { state, sender, number, effects }: ApplyContext): bigint {
  const { approvalProgram, clearStateProgram, localStateSchema, globalStateSchema, extraProgramPages } = call;
  const params = applicationParams.of({
    approvalProgram,
    clearStateProgram,
    localSchema: localStateSchema,
    globalSchema: globalStateSchema,
    extraPages: extraProgramPages,
  });
  changeTotals(state, sender, { ...totalsOf(globalStateSchema, 1), created: 1, extraPages: extraProgramPages });
  state.setApplication(number, { creator: sender, params });
  effects.applicationId = number;
  return number;
}

/** Replaces the programs and, if the call gives sizes, both of them. */
export function updateApplication(call: Transaction, context: ApplyContext, id: bigint): void {
  const { state, parameters } = context;
  const application = state.application(id);
  if (application === undefined) return;
  const { params } = application;
  const { approvalProgram, clearStateProgram, globalStateSchema, extraProgramPages } = call;
  const givesSizes = extraProgramPages !== 0 || !stateSchema.isZero(globalStateSchema);
  const resizes = givesSizes && parameters.applications.sizeUpdates;
  if (!resizes) {
    const problem = programsTooLong(call, params.extraPages, parameters.applications);
    if (problem !== undefined) throw new Refusal(problem);
  }
  const updated = { ...params, approvalProgram, clearStateProgram, version: params.version + 1n };
  const sized = resizes ? { ...updated, ...resized(call, context, application) } : updated;
  state.setApplication(id, { ...application, params: sized });
}

/** Moves the deposit for the size from the account that has paid for it to the sender. */
function resized(
  { globalStateSchema: globalSchema, extraProgramPages: extraPages }: Transaction,
  { state, sender }: ApplyContext,
  { creator, params }: Application,
): Partial<ApplicationParams> {
  const problem = schemaProblem(countsOf(params.globals), globalSchema);
  if (problem !== undefined) throw new Refusal(`unable to change global schema: ${problem}`);
  const before = { ...totalsOf(params.globalSchema, -1), extraPages: -params.extraPages };
  changeTotals(state, sponsorOf(creator, params), before);
  changeTotals(state, sender, { ...totalsOf(globalSchema, 1), extraPages });
  return { globalSchema, extraPages, sizeSponsor: sender === creator ? ZERO_32 : addressOfKey(sender) };
}

function sponsorOf(creator: AddressKey, { sizeSponsor }: ApplicationParams): AddressKey {
  return isAllZero(sizeSponsor) ? creator : addressKey(sizeSponsor);
}

/** Deletes an application. Its boxes and the states of accounts in it stay. */
export function deleteApplication({ state }: ApplyContext, id: bigint): void {
  const application = state.application(id);
  if (application === undefined) return;
  const { creator, params } = application;
  changeTotals(state, creator, { created: -1 });
  changeTotals(state, sponsorOf(creator, params), {
    ...totalsOf(params.globalSchema, -1),
    extraPages: -params.extraPages,
  });
  state.setApplication(id, undefined);
}
