import { TRANSACTION_FIELDS, type TransactionField } from '../fields/transaction-fields.ts';
import type { ApplicationMember, Effects } from '../machine/application/effects.ts';
import { fieldName } from '../machine/field-group.ts';
import type { GroupTransaction } from '../machine/group-transaction.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, type OpcodeRow, type Operands, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';

/** A field with one value. */
export const FIELD = oneOf('f', TRANSACTION_FIELDS);

/** A field with a list of values. */
export const ARRAY_FIELD = oneOf('f', TRANSACTION_FIELDS, { takes: 'arrays' });

/** Fields of the transactions of the group. */
export const TRANSACTION_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x31, name: 'txn', immediates: [FIELD], returns: ['any'], since: 1, run: transactionField },
  { byte: 0x33, name: 'gtxn', immediates: [uint8('t'), FIELD], returns: ['any'], since: 1, run: groupTransactionField },
  {
    byte: 0x36,
    name: 'txna',
    formOf: { mnemonic: 'txn', keepsName: true, isExplained: true },
    immediates: [ARRAY_FIELD, uint8('i')],
    returns: ['any'],
    since: 2,
    run: transactionItem,
  },
  {
    byte: 0x37,
    name: 'gtxna',
    formOf: { mnemonic: 'gtxn', keepsName: true, isExplained: true },
    immediates: [uint8('t'), ARRAY_FIELD, uint8('i')],
    returns: ['any'],
    since: 2,
    run: groupTransactionItem,
  },
  {
    byte: 0x38,
    name: 'gtxns',
    immediates: [FIELD],
    args: ['uint64'],
    returns: ['any'],
    since: 3,
    run: stackTransactionField,
  },
  {
    byte: 0x39,
    name: 'gtxnsa',
    formOf: { mnemonic: 'gtxns', keepsName: true, isExplained: true },
    immediates: [ARRAY_FIELD, uint8('i')],
    args: ['uint64'],
    returns: ['any'],
    since: 3,
    run: stackTransactionItem,
  },
  {
    byte: 0xc0,
    name: 'txnas',
    immediates: [ARRAY_FIELD],
    args: ['uint64'],
    returns: ['any'],
    since: 5,
    run: transactionStackItem,
  },
  {
    byte: 0xc1,
    name: 'gtxnas',
    immediates: [uint8('t'), ARRAY_FIELD],
    args: ['uint64'],
    returns: ['any'],
    since: 5,
    run: groupTransactionStackItem,
  },
  {
    byte: 0xc2,
    name: 'gtxnsas',
    immediates: [ARRAY_FIELD],
    args: ['uint64', 'uint64'],
    returns: ['any'],
    since: 5,
    run: stackTransactionStackItem,
  },
];

/** The first version that reads the effects of earlier members of the group. */
const EFFECTS_SINCE = 6;
/** Fields that say where an inner transaction is, and the first version that reads them. */
const INNER_PLACE = new Set(['GroupIndex', 'TxID']);
const INNER_PLACE_SINCE = 6;

function transactionField(machine: Machine, { first: field }: Operands): void {
  machine.push(scalar(machine, machine.context.index, field));
}

function groupTransactionField(machine: Machine, { first: index, second: field }: Operands): void {
  machine.push(scalar(machine, index, field));
}

function stackTransactionField(machine: Machine, { first: field }: Operands): void {
  machine.replace(1, scalar(machine, machine.integer(0), field));
}

function transactionItem(machine: Machine, { first: field, second: item }: Operands): void {
  machine.push(arrayItem(machine, machine.context.index, field, item));
}

function groupTransactionItem(machine: Machine, operands: Operands): void {
  const { first: index, second: field, third: item } = operands;
  machine.push(arrayItem(machine, index, field, item));
}

function stackTransactionItem(machine: Machine, { first: field, second: item }: Operands): void {
  machine.replace(1, arrayItem(machine, machine.integer(0), field, item));
}

function transactionStackItem(machine: Machine, { first: field }: Operands): void {
  machine.replace(1, arrayItem(machine, machine.context.index, field, machine.integer(0)));
}

function groupTransactionStackItem(machine: Machine, { first: index, second: field }: Operands): void {
  machine.replace(1, arrayItem(machine, index, field, machine.integer(0)));
}

function stackTransactionStackItem(machine: Machine, { first: field }: Operands): void {
  machine.replace(2, arrayItem(machine, machine.integer(1), field, machine.integer(0)));
}

/** The group that the program has submitted last; undefined if its own group is read. */
type InnerGroup = readonly ApplicationMember[] | undefined;

/**
 * The value of a member's field.
 * @throws OpcodeFailure
 */
export function scalar(machine: Machine, index: number | bigint, code: number, inner?: InnerGroup): StackValue {
  const { name, read, effect } = readable(machine, code, false);
  if (effect !== undefined) return plain(effect(effectsAt(machine, index, inner)), name);
  const member = memberAt(machine, index, inner);
  if (inner !== undefined && machine.program.version < INNER_PLACE_SINCE && INNER_PLACE.has(name)) {
    throw new OpcodeFailure(`illegal field for inner transaction ${name}`);
  }
  const context = inner === undefined ? machine.context : { ...machine.context, group: inner };
  return plain(read?.(member.transaction, member, context), name);
}

function plain(value: StackValue | number | boolean | readonly StackValue[] | undefined, name: string): StackValue {
  if (value instanceof Uint8Array) return value;
  if (value === undefined || typeof value === 'object') throw new OpcodeFailure(`invalid txn field ${name}`);
  return BigInt(value);
}

/**
 * One value of a member's array field.
 * @throws OpcodeFailure
 */
export function arrayItem(
  machine: Machine,
  index: number | bigint,
  code: number,
  item: number | bigint,
  inner?: InnerGroup,
): StackValue {
  const { name, list, effect } = readable(machine, code, true);
  const values =
    effect === undefined
      ? list?.(memberAt(machine, index, inner).transaction)
      : effect(effectsAt(machine, index, inner));
  const value = Array.isArray(values) ? (values as readonly StackValue[])[Number(item)] : undefined;
  if (value === undefined) throw new OpcodeFailure(`invalid ${name} index ${item}`);
  return value;
}

/** A field that exists in the program's version, is an array or not, and that the program's mode may read. */
function readable({ program, context }: Machine, code: number, isArray: boolean): TransactionField {
  const field = TRANSACTION_FIELDS.fieldOf(code);
  if (field === undefined || (field.since ?? 0) > program.version || (field.array === true && !isArray)) {
    throw new OpcodeFailure(`invalid txn field ${fieldName(TRANSACTION_FIELDS, code)}`);
  }
  if (isArray && field.array !== true) throw new OpcodeFailure(`unsupported array field ${field.name}`);
  if (field.modes?.includes(context.mode) === false) {
    throw new OpcodeFailure(`txn[${field.name}] not allowed in current mode`);
  }
  return field;
}

function memberAt({ context }: Machine, index: number | bigint, inner: InnerGroup): GroupTransaction {
  const group = inner ?? context.group;
  const member = index < group.length ? group[Number(index)] : undefined;
  if (member === undefined) throw new OpcodeFailure(`txn index ${index}, len(group) is ${group.length}`);
  return member;
}

/** The effects of a transaction; one of its own group must be over. */
function effectsAt(machine: Machine, index: number | bigint, inner: InnerGroup): Effects {
  const { program, context } = machine;
  if (inner === undefined && index >= context.index) {
    throw new OpcodeFailure(`txn effects can only be read from past txns ${index} ${context.index}`);
  }
  const members = inner ?? machine.application.group.members;
  memberAt(machine, index, inner);
  if (inner === undefined && program.version < EFFECTS_SINCE) {
    throw new OpcodeFailure('Unable to obtain effects from top-level transactions');
  }
  return members[Number(index)]?.effects ?? {};
}
