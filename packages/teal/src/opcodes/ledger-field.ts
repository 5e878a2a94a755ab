import type { Field, FieldGroup } from '../machine/field-group.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { StackValue } from '../machine/stack-value.ts';

/**
 * A field of the ledger that exists in the program's version. Unlike other fields, messages name it by its number.
 * @throws OpcodeFailure
 */
export function ledgerField<F extends Field>(
  { program }: Machine,
  opcode: string,
  group: FieldGroup<F>,
  code: number,
): F {
  const field = group.fieldOf(code, program.version);
  if (field !== undefined) return field;
  throw new OpcodeFailure(`invalid ${opcode} field ${code}`);
}

/** Replaces the top `count` values by one that was looked up, 0 if it was not found, and by whether it was found. */
export function putField(machine: Machine, count: number, value: StackValue | number | boolean | undefined): void {
  machine.replace(count, typeof value === 'object' ? value : BigInt(value ?? 0));
  machine.push(value === undefined ? 0n : 1n);
}
