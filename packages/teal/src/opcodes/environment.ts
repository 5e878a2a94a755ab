import { BLOCK_FIELDS } from '../fields/block-fields.ts';
import { GLOBAL_FIELDS } from '../fields/global-fields.ts';
import { pastBlock } from '../machine/context.ts';
import { type Field, type FieldGroup, fieldName } from '../machine/field-group.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, type OpcodeRow } from '../machine/opcode.ts';
import type { Operands } from '../machine/operands.ts';
import { OpcodeFailure } from '../machine/program-error.ts';

/** Values from outside the group: parameters of the network and earlier blocks. */
export const ENVIRONMENT_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x32, name: 'global', immediates: [oneOf('f', GLOBAL_FIELDS)], returns: ['any'], since: 1, run: globalField },
  {
    byte: 0xd1,
    name: 'block',
    immediates: [oneOf('f', BLOCK_FIELDS)],
    args: ['uint64'],
    returns: ['any'],
    since: 7,
    run: blockField,
  },
];

function globalField(machine: Machine, { first }: Operands): void {
  const field = known(machine, GLOBAL_FIELDS, first);
  const { context } = machine;
  const value = field.read?.(context.environment.parameters, context);
  if (value === undefined || field.modes?.includes(context.mode) === false) {
    throw new OpcodeFailure(`global[${field.name}] not allowed in current mode`);
  }
  machine.push(typeof value === 'object' ? value : BigInt(value));
}

function blockField(machine: Machine, { first }: Operands): void {
  const header = pastBlock(machine.context, machine.integer(0));
  machine.replace(1, known(machine, BLOCK_FIELDS, first).read(header));
}

function known<F extends Field>({ program }: Machine, group: FieldGroup<F>, code: number): F {
  const field = group.fieldOf(code);
  if (field !== undefined && (field.since ?? 0) <= program.version) return field;
  throw new OpcodeFailure(`invalid ${group.name} field ${fieldName(group, code)}`);
}
