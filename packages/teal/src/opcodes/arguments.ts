import { argument, argumentAt, argumentByStack } from '../operations/arguments.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Arguments of a logic signature. */
export const ARGUMENT_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x2c,
    name: 'arg',
    immediates: [{ name: 'n', kind: 'uint8' }],
    returns: ['[]byte'],
    since: 1,
    modes: ['signature'],
    run: argument,
  },
  { byte: 0x2d, name: 'arg_0', returns: ['[]byte'], since: 1, modes: ['signature'], run: argumentAt(0n) },
  { byte: 0x2e, name: 'arg_1', returns: ['[]byte'], since: 1, modes: ['signature'], run: argumentAt(1n) },
  { byte: 0x2f, name: 'arg_2', returns: ['[]byte'], since: 1, modes: ['signature'], run: argumentAt(2n) },
  { byte: 0x30, name: 'arg_3', returns: ['[]byte'], since: 1, modes: ['signature'], run: argumentAt(3n) },
  {
    byte: 0xc3,
    name: 'args',
    args: ['uint64'],
    returns: ['[]byte'],
    since: 5,
    modes: ['signature'],
    run: argumentByStack,
  },
];
