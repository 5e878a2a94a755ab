import type { Field } from '../machine/field-group.ts';
import type { FieldImmediate } from '../machine/opcode.ts';

/** Whether a field is allowed in this place of a source. */
export function takesField({ takes }: FieldImmediate, { array }: Field): boolean {
  return takes === 'both' || (array ?? false) === (takes === 'arrays');
}

/** Whether a disassembly names a field in this place. */
export function namesField(immediate: FieldImmediate, field: Field): boolean {
  return takesField(immediate, field) && (immediate.sets !== 'settable' || field.settable !== undefined);
}
