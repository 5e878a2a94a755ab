import { TRANSACTION_FIELDS, type TransactionField } from '../fields/transaction-fields.ts';
import type { ApplicationMember, Effects } from '../machine/application/effects.ts';
import { fieldName } from '../machine/field-group.ts';
import type { GroupTransaction } from '../machine/group-transaction.ts';
import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';
import { runOf } from './application.ts';

/** The first version that reads what earlier members of the group have done. */
const EFFECTS_SINCE = 6;
/** Fields that say where an inner transaction is, and the first version that reads them. */
const INNER_PLACE = new Set(['GroupIndex', 'TxID']);
const INNER_PLACE_SINCE = 6;

export function transactionField(machine: Machine, { first: field }: Operands): void {
  machine.push(scalar(machine, machine.context.index, field));
}

export function groupTransactionField(machine: Machine, { first: index, second: field }: Operands): void {
  machine.push(scalar(machine, index, field));
}

export function stackTransactionField(machine: Machine, { first: field }: Operands): void {
  machine.replace(1, scalar(machine, machine.integer(0), field));
}

export function transactionItem(machine: Machine, { first: field, second: item }: Operands): void {
  machine.push(arrayItem(machine, machine.context.index, field, item));
}

export function groupTransactionItem(machine: Machine, operands: Operands): void {
  const { first: index, second: field, third: item } = operands;
  machine.push(arrayItem(machine, index, field, item));
}

export function stackTransactionItem(machine: Machine, { first: field, second: item }: Operands): void {
  machine.replace(1, arrayItem(machine, machine.integer(0), field, item));
}

export function transactionStackItem(machine: Machine, { first: field }: Operands): void {
  machine.replace(1, arrayItem(machine, machine.context.index, field, machine.integer(0)));
}

export function groupTransactionStackItem(machine: Machine, { first: index, second: field }: Operands): void {
  machine.replace(1, arrayItem(machine, index, field, machine.integer(0)));
}

export function stackTransactionStackItem(machine: Machine, { first: field }: Operands): void {
  machine.replace(2, arrayItem(machine, machine.integer(1), field, machine.integer(0)));
}

export function innerField(machine: Machine, { first: field }: Operands): void {
  machine.push(scalar(machine, 0, field, lastInner(machine)));
}

export function innerItem(machine: Machine, { first: field, second: item }: Operands): void {
  machine.push(arrayItem(machine, 0, field, item, lastInner(machine)));
}

export function innerStackItem(machine: Machine, { first: field }: Operands): void {
  machine.replace(1, arrayItem(machine, 0, field, machine.integer(0), lastInner(machine)));
}

export function groupInnerField(machine: Machine, { first: index, second: field }: Operands): void {
  machine.push(scalar(machine, index, field, lastGroup(machine)));
}

export function groupInnerItem(machine: Machine, { first: index, second: field, third: item }: Operands): void {
  machine.push(arrayItem(machine, index, field, item, lastGroup(machine)));
}

export function groupInnerStackItem(machine: Machine, { first: index, second: field }: Operands): void {
  machine.replace(1, arrayItem(machine, index, field, machine.integer(0), lastGroup(machine)));
}

/** The group that the program has submitted last; undefined in the reading of its own group. */
type InnerGroup = readonly ApplicationMember[] | undefined;

function lastGroup(machine: Machine): readonly ApplicationMember[] {
  return runOf(machine).submitted.at(-1)?.members ?? [];
}

/** The inner transaction that the program has submitted last, taken as a group of one. */
function lastInner(machine: Machine): readonly ApplicationMember[] {
  return lastGroup(machine).slice(-1);
}

function scalar(machine: Machine, index: number | bigint, code: number, inner?: InnerGroup): StackValue {
  const field = TRANSACTION_FIELDS.fieldOf(code);
  if (field?.array) throw new OpcodeFailure(`invalid txn field ${field.name}`);
  const { name, read, effect } = readable(machine, code, inner);
  if (effect !== undefined) return plain(effect(effectsAt(machine, index, inner)), name);
  const member = memberAt(machine, index, inner);
  const context = inner === undefined ? machine.context : { ...machine.context, group: inner };
  return plain(read?.(member.transaction, member, context), name);
}

function plain(value: StackValue | number | boolean | readonly StackValue[] | undefined, name: string): StackValue {
  if (value instanceof Uint8Array) return value;
  if (value === undefined || typeof value === 'object') throw new OpcodeFailure(`invalid txn field ${name}`);
  return BigInt(value);
}

function arrayItem(
  machine: Machine,
  index: number | bigint,
  code: number,
  item: number | bigint,
  inner?: InnerGroup,
): StackValue {
  const field = TRANSACTION_FIELDS.fieldOf(code);
  if (field !== undefined && !field.array) throw new OpcodeFailure(`unsupported array field ${field.name}`);
  const { name, list, effect } = readable(machine, code, inner);
  const values =
    effect === undefined
      ? list?.(memberAt(machine, index, inner).transaction)
      : effect(effectsAt(machine, index, inner));
  const value = Array.isArray(values) ? (values as readonly StackValue[])[Number(item)] : undefined;
  if (value === undefined) throw new OpcodeFailure(`invalid ${name} index ${item}`);
  return value;
}

/** A field that exists in the program's version and that its mode may read. */
function readable({ program, context }: Machine, code: number, inner: InnerGroup): TransactionField {
  const field = TRANSACTION_FIELDS.fieldOf(code);
  if (field === undefined || (field.since ?? 0) > program.version) {
    throw new OpcodeFailure(`invalid txn field ${fieldName(TRANSACTION_FIELDS, code)}`);
  }
  if (field.modes?.includes(context.mode) === false) {
    throw new OpcodeFailure(`txn[${field.name}] not allowed in current mode`);
  }
  if (inner !== undefined && program.version < INNER_PLACE_SINCE && INNER_PLACE.has(field.name)) {
    throw new OpcodeFailure(`illegal field for inner transaction ${field.name}`);
  }
  return field;
}

function memberAt({ context }: Machine, index: number | bigint, inner: InnerGroup): GroupTransaction {
  const group = inner ?? context.group;
  const member = index < group.length ? group[Number(index)] : undefined;
  if (member === undefined) throw new OpcodeFailure(`txn index ${index}, len(group) is ${group.length}`);
  return member;
}

/** What a transaction has done: one of the group only after it is over. */
function effectsAt(machine: Machine, index: number | bigint, inner: InnerGroup): Effects {
  const { program, context } = machine;
  if (inner === undefined) {
    if (program.version < EFFECTS_SINCE) {
      throw new OpcodeFailure('Unable to obtain effects from top-level transactions');
    }
    if (index >= context.index) {
      throw new OpcodeFailure(`txn effects can only be read from past txns ${index} ${context.index}`);
    }
  }
  const members = inner ?? runOf(machine).group.members;
  memberAt(machine, index, inner);
  return members[Number(index)]?.effects ?? {};
}
