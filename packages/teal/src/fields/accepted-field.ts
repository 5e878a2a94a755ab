import type { Field, FieldGroup } from '../machine/field-group.ts';

/** Opcodes that take a field of a transaction together with an index. */
const TAKE_ARRAYS = new Set([
  'txna',
  'gtxna',
  'gtxnsa',
  'txnas',
  'gtxnas',
  'gtxnsas',
  'itxna',
  'itxnas',
  'gitxna',
  'gitxnas',
]);

/** Opcodes that take scalar and array fields alike. */
const TAKE_BOTH = new Set(['itxn_field', 'gitxn']);

/** Whether an opcode takes a field in a source or a disassembly: array fields go with an index, scalar ones without. */
export function takesField(opcode: string, { name }: FieldGroup, { array }: Field): boolean {
  return name !== 'txn' || TAKE_BOTH.has(opcode) || (array ?? false) === TAKE_ARRAYS.has(opcode);
}

/** Whether a disassembly names a field. */
export function namesField(opcode: string, group: FieldGroup, field: Field): boolean {
  return takesField(opcode, group, field) && (opcode !== 'app_params_set' || field.settableSince !== undefined);
}
