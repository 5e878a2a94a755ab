import { TRANSACTION_FIELDS, type TransactionField } from '../fields/transaction-fields.ts';
import { fieldName } from '../machine/field-group.ts';
import type { GroupTransaction } from '../machine/group-transaction.ts';
import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';

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

function scalar(machine: Machine, index: number | bigint, code: number): StackValue {
  const field = TRANSACTION_FIELDS.fieldOf(code);
  if (field?.array) throw new OpcodeFailure(`invalid txn field ${field.name}`);
  const { name, read } = readable(machine, code);
  const member = memberAt(machine, index);
  const value = read?.(member.transaction, member, machine.context);
  if (value === undefined) throw new OpcodeFailure(`invalid txn field ${name}`);
  return typeof value === 'object' ? value : BigInt(value);
}

function arrayItem(machine: Machine, index: number | bigint, code: number, item: number | bigint): StackValue {
  const field = TRANSACTION_FIELDS.fieldOf(code);
  if (field !== undefined && !field.array) throw new OpcodeFailure(`unsupported array field ${field.name}`);
  const { name, list } = readable(machine, code);
  const value = list?.(memberAt(machine, index).transaction)[Number(item)];
  if (value === undefined) throw new OpcodeFailure(`invalid ${name} index ${item}`);
  return value;
}

/** A field that exists in the program's version and that its mode may read. */
function readable({ program, context }: Machine, code: number): TransactionField {
  const field = TRANSACTION_FIELDS.fieldOf(code);
  if (field === undefined || (field.since ?? 0) > program.version) {
    throw new OpcodeFailure(`invalid txn field ${fieldName(TRANSACTION_FIELDS, code)}`);
  }
  if (field.modes?.includes(context.mode) === false) {
    throw new OpcodeFailure(`txn[${field.name}] not allowed in current mode`);
  }
  return field;
}

function memberAt({ context: { group } }: Machine, index: number | bigint): GroupTransaction {
  const member = index < group.length ? group[Number(index)] : undefined;
  if (member === undefined) throw new OpcodeFailure(`txn index ${index}, len(group) is ${group.length}`);
  return member;
}
