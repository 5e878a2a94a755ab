import { formatAddress } from '@avm402/algorand/address';
import { BLANK_TRANSACTION } from '../machine/blank-transaction.ts';
import { TRANSACTION_FIELDS } from '../fields/transaction-fields.ts';
import type { ApplicationMember } from '../machine/application/effects.ts';
import { ApplicationGroup, type ProgramRun } from '../machine/application/group.ts';
import { InnerFailure } from '../machine/application/inner-failure.ts';
import { innerMembers } from '../machine/application/inner-members.ts';
import { innerCallProblem, innerUseProblem } from '../machine/application/inner-rules.ts';
import { fieldName } from '../machine/field-group.ts';
import type { Machine } from '../machine/machine.ts';
import type { Operands } from '../machine/operands.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { sameBytes } from '../machine/stack-value.ts';
import { runOf } from './application.ts';
import { INNER_FIELDS } from './inner-fields.ts';

const MAX_GROUP = 16;
const BUDGET_PER_CALL = 700;
/** The usage of a transaction without surcharges, in millionths. */
const ONE = 1_000_000n;

export function beginInner(machine: Machine): void {
  const run = runOf(machine);
  if (run.open.length > 0) throw new OpcodeFailure('itxn_begin without itxn_submit');
  if (run.call.kind === 'clear-state') {
    throw new OpcodeFailure('clear state programs can not issue inner transactions');
  }
  open(run);
}

export function nextInner(machine: Machine): void {
  const run = runOf(machine);
  if (run.open.length === 0) throw new OpcodeFailure('itxn_next without itxn_begin');
  open(run);
}

/** One transaction more than allowed can be opened; it is submitted in vain. */
function open(run: ProgramRun): void {
  const { shared, transaction } = run;
  const { length } = run.open;
  if (length > shared.innerLeft || length >= MAX_GROUP) throw tooMany(run);
  const usage = run.open.reduce((sum, each) => sum + shared.ledger.usage(each), ONE);
  const paid = run.open.reduce((sum, { fee }) => sum + fee, 0n);
  const lack = shared.fees.needFor(usage).fee - paid - shared.fees.credit;
  run.open.push({
    ...BLANK_TRANSACTION,
    sender: run.address,
    fee: lack > 0n ? lack : 0n,
    firstValid: transaction.firstValid,
    lastValid: transaction.lastValid,
  });
}

function tooMany({ open: { length }, shared }: ProgramRun): OpcodeFailure {
  return new OpcodeFailure(`too many inner transactions ${length} with ${shared.innerLeft} left`);
}

/** The value leaves the stack before anything can fail. */
export function setInnerField(machine: Machine, { first }: Operands): void {
  const run = runOf(machine);
  const value = machine.value(0);
  machine.drop(1);
  const inner = run.open.at(-1);
  if (inner === undefined) throw new OpcodeFailure('itxn_field without itxn_begin');
  const { name, settable } = TRANSACTION_FIELDS.fieldOf(first) ?? {};
  const set = name === undefined ? undefined : INNER_FIELDS[name];
  if (set === undefined || (settable ?? Infinity) > run.version) {
    throw new OpcodeFailure(`invalid itxn_field ${fieldName(TRANSACTION_FIELDS, first)}`);
  }
  set(inner, value, run);
}

export function submitInner(machine: Machine): void {
  const run = runOf(machine);
  const { shared, open: opened } = run;
  if (opened.length > shared.innerLeft) throw tooMany(run);
  if (opened.length === 0) throw new OpcodeFailure('itxn_submit without itxn_begin');
  const usage = opened.reduce((sum, each) => sum + shared.ledger.usage(each), 0n);
  const paid = opened.reduce((sum, { fee }) => sum + fee, 0n);
  shared.fees.settle(usage, paid);
  for (const inner of opened) {
    const problem = shared.ledger.formProblem(inner) ?? innerCallProblem(run, inner) ?? innerUseProblem(run, inner);
    if (problem !== undefined) throw new OpcodeFailure(problem);
  }
  const members = innerMembers(run, opened);
  const group = new ApplicationGroup(members, shared, run);
  takeBudget(group);
  run.submitted.push(group);
  run.effects.inner.push(...members);
  for (const [index, member] of members.entries()) {
    run.performing = index;
    perform(group, index, member, run);
  }
  run.performing = undefined;
  run.open = [];
}

function takeBudget({ members, shared }: ApplicationGroup): void {
  const { extraBudget } = shared.limits;
  const calls = members.filter(({ transaction }) => transaction.type === 'appl').length;
  shared.innerLeft -= members.length;
  const extra = Math.min(extraBudget, shared.extraLeft);
  shared.extraLeft -= extra;
  shared.budget.remaining += calls * BUDGET_PER_CALL + extra;
  // A simulation counts the budget of one call for each group, whatever is in it.
  shared.budgetAdded += BUDGET_PER_CALL + extraBudget;
}

function perform(
  group: ApplicationGroup,
  index: number,
  { transaction, effects }: ApplicationMember,
  run: ProgramRun,
): void {
  const { ledger } = run.shared;
  const { sender } = transaction;
  const authorizer = ledger.account(sender).authAddress ?? sender;
  if (!sameBytes(authorizer, run.address)) {
    const [own, other] = [formatAddress(run.address), formatAddress(authorizer)];
    throw new OpcodeFailure(`app ${run.applicationId} (addr ${own}) unauthorized ${other}`);
  }
  const failure = ledger.perform(group, index);
  if (failure !== undefined) throw new InnerFailure(index, failure);
  run.shared.resources.noteEffects(effects);
}
