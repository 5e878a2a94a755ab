import { TRANSACTION_FIELDS, type TransactionField } from '../fields/transaction-fields.ts';
import type { ApplicationMember, Effects } from '../machine/application/effects.ts';
import { fieldName } from '../machine/field-group.ts';
import type { GroupTransaction } from '../machine/group-transaction.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, type OpcodeRow, uint8 } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';

/** A field with one value. */
export const FIELD = oneOf('f', TRANSACTION_FIELDS);

/** A field with a list of values. */
export const ARRAY_FIELD = oneOf('f', TRANSACTION_FIELDS, { takes: 'arrays' });

/** Fields of the transactions of the group. */
export const TRANSACTION_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x31, name: 'txn', immediates: [FIELD], stack: ':a', since: 1, run: reading('own') },
  { byte: 0x33, name: 'gtxn', immediates: [uint8('t'), FIELD], stack: ':a', since: 1, run: reading('immediate') },
  {
    byte: 0x36,
    name: 'txna',
    formOf: { mnemonic: 'txn', keepsName: true, isExplained: true },
    immediates: [ARRAY_FIELD, uint8('i')],
    stack: ':a',
    since: 2,
    run: reading('own', 'immediate'),
  },
  {
    byte: 0x37,
    name: 'gtxna',
    formOf: { mnemonic: 'gtxn', keepsName: true, isExplained: true },
    immediates: [uint8('t'), ARRAY_FIELD, uint8('i')],
    stack: ':a',
    since: 2,
    run: reading('immediate', 'immediate'),
  },
  { byte: 0x38, name: 'gtxns', immediates: [FIELD], stack: 'i:a', since: 3, run: reading('stack') },
  {
    byte: 0x39,
    name: 'gtxnsa',
    formOf: { mnemonic: 'gtxns', keepsName: true, isExplained: true },
    immediates: [ARRAY_FIELD, uint8('i')],
    stack: 'i:a',
    since: 3,
    run: reading('stack', 'immediate'),
  },
  { byte: 0xc0, name: 'txnas', immediates: [ARRAY_FIELD], stack: 'i:a', since: 5, run: reading('own', 'stack') },
  {
    byte: 0xc1,
    name: 'gtxnas',
    immediates: [uint8('t'), ARRAY_FIELD],
    stack: 'i:a',
    since: 5,
    run: reading('immediate', 'stack'),
  },
  { byte: 0xc2, name: 'gtxnsas', immediates: [ARRAY_FIELD], stack: 'ii:a', since: 5, run: reading('stack', 'stack') },
];

/** The first version that reads the effects of earlier members of the group. */
const EFFECTS_SINCE = 6;
/** Fields that say where an inner transaction is, and the first version that reads them. */
const INNER_PLACE = new Set(['GroupIndex', 'TxID']);
const INNER_PLACE_SINCE = 6;

/** The group that the program has submitted last; undefined if its own group is read. */
type InnerGroup = readonly ApplicationMember[] | undefined;

/** Where an opcode takes an index from. */
type Source = 'immediate' | 'stack';

/**
 * Makes an opcode that reads a field of a member of a group: the member at an index, or the program's own transaction;
 * and of an array field one item. In the program, the member's index comes before the field and the item's after it; on
 * the stack, the item's index is on top.
 * @param groupOf - the inner group that is read; its first member is taken for the own one. Default: the own group.
 */
export function reading(
  index: Source | 'own',
  item?: Source,
  groupOf?: (machine: Machine) => readonly ApplicationMember[],
): NonNullable<OpcodeRow['run']> {
  const isNumbered = index === 'immediate';
  const popped = Number(index === 'stack') + Number(item === 'stack');
  return (machine, { first, second, third }) => {
    const inner = groupOf?.(machine);
    const own = inner === undefined ? machine.context.index : 0;
    const at = index === 'stack' ? machine.integer(popped - 1) : isNumbered ? first : own;
    const field = isNumbered ? second : first;
    const given = isNumbered ? third : second;
    const value =
      item === undefined
        ? scalar(machine, at, field, inner)
        : arrayItem(machine, at, field, item === 'stack' ? machine.integer(0) : given, inner);
    if (popped === 0) machine.push(value);
    else machine.replace(popped, value);
  };
}

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
function arrayItem(
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
  const field = TRANSACTION_FIELDS.fieldOf(code, program.version);
  if (field === undefined || (field.array === true && !isArray)) {
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
