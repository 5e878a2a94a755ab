import { formatAddress } from '@avm402/algorand/address';
import { sameBytes } from '@avm402/algorand/bytes';
import { TRANSACTION_FIELDS } from '../fields/transaction-fields.ts';
import type { ApplicationMember } from '../machine/application/effects.ts';
import { ApplicationGroup, type ProgramRun } from '../machine/application/group.ts';
import { innerId, innerMembers } from '../machine/application/inner-members.ts';
import { innerCallProblem, innerUseProblem } from '../machine/application/inner-rules.ts';
import { BLANK_TRANSACTION } from '../machine/group-transaction.ts';
import { fieldName } from '../machine/field-group.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, onlyIn, type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { NO_BYTES, type StackValue } from '../machine/stack-value.ts';
import { INNER_FIELDS } from './inner-fields.ts';
import { ARRAY_FIELD, FIELD, reading, scalar } from './transactions.ts';
import { InnerFailure } from '../machine/application/failure.ts';
import { BUDGET_PER_CALL } from '../machine/limits.ts';

/** Transactions that an application sends. */
export const INNER_TRANSACTION_OPCODES: readonly OpcodeRow[] = onlyIn('application', [
  { byte: 0xb1, name: 'itxn_begin', since: 5, run: beginInner },
  {
    byte: 0xb2,
    name: 'itxn_field',
    immediates: [oneOf('f', TRANSACTION_FIELDS, { takes: 'both', sets: 'allowed' })],
    stack: 'a:',
    since: 5,
    run: setInnerField,
  },
  { byte: 0xb3, name: 'itxn_submit', since: 5, run: submitInner, submits: true },
  { byte: 0xb4, name: 'itxn', immediates: [FIELD], stack: ':a', since: 5, run: innerField },
  {
    byte: 0xb5,
    name: 'itxna',
    formOf: { mnemonic: 'itxn' },
    immediates: [ARRAY_FIELD, uint8('i')],
    stack: ':a',
    since: 5,
    run: reading('own', 'immediate', lastInner),
  },
  { byte: 0xb6, name: 'itxn_next', since: 6, run: nextInner },
  {
    byte: 0xb7,
    name: 'gitxn',
    immediates: [uint8('t'), oneOf('f', TRANSACTION_FIELDS, { takes: 'both' })],
    stack: ':a',
    since: 6,
    run: groupInnerField,
  },
  {
    byte: 0xb8,
    name: 'gitxna',
    formOf: { mnemonic: 'gitxn' },
    immediates: [uint8('t'), ARRAY_FIELD, uint8('i')],
    stack: ':a',
    since: 6,
    run: reading('immediate', 'immediate', lastGroup),
  },
  {
    byte: 0xc5,
    name: 'itxnas',
    immediates: [ARRAY_FIELD],
    stack: 'i:a',
    since: 6,
    run: reading('own', 'stack', lastInner),
  },
  {
    byte: 0xc6,
    name: 'gitxnas',
    immediates: [uint8('t'), ARRAY_FIELD],
    stack: 'i:a',
    since: 6,
    run: reading('immediate', 'stack', lastGroup),
  },
]);

const MAX_GROUP = 16;
const TX_ID = TRANSACTION_FIELDS.fieldNamed('TxID')?.code;
/** The usage of a transaction without surcharges, in millionths. */
const ONE = 1_000_000n;

function beginInner(machine: Machine): void {
  const run = machine.application;
  if (run.open.length > 0) throw new OpcodeFailure('itxn_begin without itxn_submit');
  if (run.call.kind === 'clear-state') {
    throw new OpcodeFailure('clear state programs can not issue inner transactions');
  }
  open(run);
}

function nextInner(machine: Machine): void {
  const run = machine.application;
  if (run.open.length === 0) throw new OpcodeFailure('itxn_next without itxn_begin');
  open(run);
}

/** As in algod, one transaction more than allowed can be opened; submitting it fails. */
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

/** The value leaves the stack before it is looked at. */
function setInnerField(machine: Machine, { first }: Operands): void {
  const run = machine.application;
  const inner = run.open.at(-1);
  if (inner === undefined) throw new OpcodeFailure('itxn_field without itxn_begin');
  const { name, settable } = TRANSACTION_FIELDS.fieldOf(first) ?? {};
  const set = name === undefined ? undefined : INNER_FIELDS[name];
  if (set === undefined || (settable ?? Infinity) > run.version) {
    throw new OpcodeFailure(`invalid itxn_field ${fieldName(TRANSACTION_FIELDS, first)}`);
  }
  const value = machine.value(0);
  machine.drop(1);
  set(inner, value, run);
}

function submitInner(machine: Machine): void {
  const run = machine.application;
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
  run.readIds.clear();
  run.effects.inner.push(...members);
  for (const [index, member] of members.entries()) {
    run.performing = index;
    perform(group, index, member, run);
  }
  run.performing = undefined;
  run.open = [];
  shared.boxes.settle();
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

function innerField(machine: Machine, { first: field }: Operands): void {
  const value = scalar(machine, 0, field, lastInner(machine));
  machine.push(field === TX_ID ? readId(machine.application, 0, () => idOfLast(machine.application)) : value);
}

function groupInnerField(machine: Machine, { first: index, second: field }: Operands): void {
  const value = scalar(machine, index, field, lastGroup(machine));
  machine.push(field === TX_ID ? readId(machine.application, index, () => value) : value);
}

function lastGroup(machine: Machine): readonly ApplicationMember[] {
  return machine.application.submitted.at(-1)?.members ?? [];
}

/** algod remembers the ids that a program has read by their index, until it submits the next group. */
function readId({ readIds }: ProgramRun, index: number, id: () => StackValue): StackValue {
  const value = readIds.get(index) ?? id();
  readIds.set(index, value);
  return value;
}

/** The id of the inner transaction submitted last. algod makes it as if it were the first of its group. */
function idOfLast(run: ProgramRun): StackValue {
  const members = run.submitted.at(-1)?.members ?? [];
  const last = members.at(-1);
  return last === undefined ? NO_BYTES : innerId(run, run.effects.inner.length - members.length, last.transaction);
}

/** The inner transaction that the program has submitted last, taken as a group of one. */
function lastInner(machine: Machine): readonly ApplicationMember[] {
  return lastGroup(machine).slice(-1);
}
