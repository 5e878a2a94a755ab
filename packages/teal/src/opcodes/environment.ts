import { GLOBAL_FIELDS } from '../fields/global-fields.ts';
import { pastBlock } from '../machine/context.ts';
import { type Field, type FieldGroup, fieldGroup, fieldName } from '../machine/field-group.ts';
import { inPlaceOf } from '../machine/integer-behind.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import type { BlockHeader } from '../machine/environment.ts';
import type { StackValue } from '../machine/stack-value.ts';

/** A field of a block's header, and the source of its value. */
interface BlockField extends Field {
  readonly read: (b: BlockHeader) => StackValue;
}

/** Fields of an earlier block's header. */
const BLOCK_FIELDS: FieldGroup<BlockField> = fieldGroup('block', 'BlockField', [
  { code: 0, name: 'BlkSeed', type: '[32]byte', read: (b) => b.seed },
  { code: 1, name: 'BlkTimestamp', type: 'uint64', read: (b) => b.timestamp },
  { code: 2, name: 'BlkProposer', type: 'address', since: 11, read: (b) => b.proposer },
  { code: 3, name: 'BlkFeesCollected', type: 'uint64', since: 11, read: (b) => b.feesCollected },
  { code: 4, name: 'BlkBonus', type: 'uint64', since: 11, read: (b) => b.bonus },
  { code: 5, name: 'BlkBranch', type: '[32]byte', since: 11, read: (b) => b.branch },
  { code: 6, name: 'BlkFeeSink', type: 'address', since: 11, read: (b) => b.feeSink },
  { code: 7, name: 'BlkProtocol', type: '[]byte', since: 11, read: (b) => b.protocol },
  { code: 8, name: 'BlkTxnCounter', type: 'uint64', since: 11, read: (b) => b.transactionCounter },
  { code: 9, name: 'BlkProposerPayout', type: 'uint64', since: 11, read: (b) => b.proposerPayout },
  { code: 10, name: 'BlkBranch512', type: '[64]byte', since: 13, read: (b) => b.branch512 },
  { code: 11, name: 'BlkSha512_256TxnCommitment', type: '[32]byte', since: 13, read: (b) => b.sha512_256Commitment },
  { code: 12, name: 'BlkSha256TxnCommitment', type: '[32]byte', since: 13, read: (b) => b.sha256Commitment },
  { code: 13, name: 'BlkSha512TxnCommitment', type: '[64]byte', since: 13, read: (b) => b.sha512Commitment },
]);

/** Values from outside the group: parameters of the network and earlier blocks. */
export const ENVIRONMENT_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x32, name: 'global', immediates: [oneOf('f', GLOBAL_FIELDS)], stack: ':a', since: 1, run: globalField },
  { byte: 0xd1, name: 'block', immediates: [oneOf('f', BLOCK_FIELDS)], stack: 'i:a', since: 7, run: blockField },
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
  const round = machine.integer(0);
  const header = pastBlock(machine.context, round);
  const value = known(machine, BLOCK_FIELDS, first).read(header);
  machine.replace(1, typeof value === 'object' ? inPlaceOf(round, value.subarray()) : value);
}

function known<F extends Field>({ program }: Machine, group: FieldGroup<F>, code: number): F {
  const field = group.fieldOf(code, program.version);
  if (field !== undefined) return field;
  throw new OpcodeFailure(`invalid ${group.name} field ${fieldName(group, code)}`);
}
