import { GLOBAL_FIELDS } from '../fields/global-fields.ts';
import { BLOCK_FIELDS } from '../fields/block-fields.ts';
import { blockField, globalField } from '../operations/environment.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Values from outside the group: parameters of the network and earlier blocks. */
export const ENVIRONMENT_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x32,
    name: 'global',
    immediates: [{ name: 'f', kind: 'field', group: GLOBAL_FIELDS }],
    returns: ['any'],
    since: 1,
    run: globalField,
  },
  {
    byte: 0xd1,
    name: 'block',
    immediates: [{ name: 'f', kind: 'field', group: BLOCK_FIELDS }],
    args: ['uint64'],
    returns: ['any'],
    since: 7,
    run: blockField,
  },
];
