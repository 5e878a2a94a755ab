import { type GroupPrograms, ON_COMPLETION } from '@avm402/teal/application';
import type { Transaction } from '../../codec/schema/transaction.ts';
import { addressText } from '../../transaction/address-key.ts';
import { Refusal } from '../../transaction/refusal.ts';
import type { Application } from '../state/tables.ts';
import { createApplication, deleteApplication, updateApplication } from './application.ts';
import type { ApplyContext } from './context.ts';
import { closeLocalState, optIn } from './local-state.ts';
import { programVersion } from '@avm402/teal/run';

/** Programs of older versions may be replaced by programs of even older ones. */
const NO_DOWNGRADE_FROM = 4n;

/** A call of an application that exists, or of one that has just been created. */
interface Call {
  readonly id: bigint;
  readonly transaction: Transaction;
  readonly context: ApplyContext;
}

/** Applies an `appl` (go-algorand ledger/apply/application.go). */
export function applyApplicationCall(transaction: Transaction, context: ApplyContext): void {
  const creates = transaction.applicationId === 0n;
  const id = creates ? createApplication(transaction, context) : transaction.applicationId;
  const application = context.state.application(id);
  checkRejectVersion(transaction, application?.params.version ?? 0n);
  const call: Call = { id, transaction, context };
  const { onCompletion } = transaction;
  if (onCompletion !== ON_COMPLETION.clearState && application === undefined) {
    throw new Refusal(`only ClearState is supported for an application (${id}) that does not exist`);
  }
  if (application !== undefined && (creates || onCompletion === ON_COMPLETION.update)) checkPrograms(call, application);
  if (onCompletion === ON_COMPLETION.clearState) {
    clearState(call, application);
    return;
  }
  if (onCompletion === ON_COMPLETION.optIn) optIn(context, id);
  runApproval(call, application);
  checkWritten(call, creates);
  complete(call);
}

function checkRejectVersion({ rejectVersion }: Transaction, version: bigint): void {
  if (rejectVersion === 0n || version < rejectVersion) return;
  throw new Refusal(`app version (${version}) >= reject version (${rejectVersion})`);
}

/** Checks new programs against those that the application has. */
function checkPrograms({ transaction, context }: Call, { params }: Application): void {
  const { approvalProgram, clearStateProgram } = transaction;
  checkDowngrade('approval', approvalProgram, params.approvalProgram);
  checkDowngrade('clearstate', clearStateProgram, params.clearStateProgram);
  const { programs, index } = programsOf(context);
  for (const [name, program] of Object.entries({
    ApprovalProgram: approvalProgram,
    ClearStateProgram: clearStateProgram,
  })) {
    const problem = programs.check(index, program);
    if (problem !== undefined) throw new Refusal(`check failed on ${name}: ${problem}`);
  }
}

function checkDowngrade(name: string, given: Uint8Array, present: Uint8Array): void {
  const [version, before] = [programVersion(given), programVersion(present)];
  if (typeof version === 'string' || typeof before === 'string') return;
  if (before < NO_DOWNGRADE_FROM || version >= before) return;
  throw new Refusal(`${name} program version downgrade: ${version} < ${before}`);
}

function runApproval({ id, context }: Call, application: Application | undefined): void {
  const { programs, index } = programsOf(context);
  const program = application?.params.approvalProgram ?? new Uint8Array();
  const outcome = programs.run({ index, applicationId: id, program, kind: 'approval' });
  if ('failure' in outcome) throw Refusal.of(outcome.failure);
  if (outcome.status === 'rejected') throw new Refusal('transaction rejected by ApprovalProgram');
}

/** Drops the changes of a program that does not pass; the account's state ends in any case. */
function clearState({ id, context }: Call, application: Application | undefined): void {
  const { state, sender, attempt } = context;
  if (state.localState(sender, id) === undefined) {
    throw new Refusal(`cannot clear state: ${addressText(sender)} is not currently opted in to app ${id}`);
  }
  if (application !== undefined) {
    const { programs, index } = programsOf(context);
    const program = application.params.clearStateProgram;
    attempt(() => {
      const outcome = programs.run({ index, applicationId: id, program, kind: 'clear-state' });
      if (outcome.status === 'refused') throw Refusal.of(outcome.failure);
      return outcome.status === 'passed';
    });
  }
  closeLocalState(context, id);
}

function complete({ id, transaction, context }: Call): void {
  const { state, sender } = context;
  switch (transaction.onCompletion) {
    case ON_COMPLETION.closeOut: {
      const [local, who] = [state.localState(sender, id), addressText(sender)];
      if (state.account(sender).applications.optedIn === 0) {
        throw new Refusal(`account ${who} is not opted in to any app, and in particular ${id}`);
      }
      if (local === undefined) throw new Refusal(`account ${who} is not opted in to app ${id}`);
      closeLocalState(context, id);
      break;
    }
    case ON_COMPLETION.update:
      updateApplication(transaction, context, id);
      break;
    case ON_COMPLETION.delete:
      deleteApplication(context, id);
      break;
    default:
  }
}

/** Large programs are paid from the budget for writing boxes. */
function checkWritten({ id, transaction, context }: Call, creates: boolean): void {
  const { onCompletion, approvalProgram, clearStateProgram } = transaction;
  const [updates, deletes] = [onCompletion === ON_COMPLETION.update, onCompletion === ON_COMPLETION.delete];
  // What is deleted at once is never written.
  if (creates ? deletes : !updates && !deletes) return;
  const bytes = approvalProgram.length + clearStateProgram.length;
  const failure = programsOf(context).programs.programsWritten(updates ? 'updating' : 'creating', id, bytes);
  if (failure !== undefined) throw Refusal.of(failure);
}

function programsOf({ programs, index }: ApplyContext): { readonly programs: GroupPrograms; readonly index: number } {
  if (programs === undefined) throw new Error('a group with an application call has programs');
  return { programs, index };
}
