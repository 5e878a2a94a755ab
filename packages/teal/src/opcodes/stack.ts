import type { OpcodeRow } from './opcode.ts';

/** The order of values on the stack. */
export const STACK_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x45, name: 'bury', immediates: [{ name: 'n', kind: 'uint8' }], args: ['any'], since: 8 },
  { byte: 0x46, name: 'popn', immediates: [{ name: 'n', kind: 'uint8' }], since: 8 },
  { byte: 0x47, name: 'dupn', immediates: [{ name: 'n', kind: 'uint8' }], args: ['any'], since: 8 },
  { byte: 0x48, name: 'pop', args: ['any'], since: 1 },
  { byte: 0x49, name: 'dup', args: ['any'], returns: ['any', 'any'], since: 1 },
  { byte: 0x4a, name: 'dup2', args: ['any', 'any'], returns: ['any', 'any', 'any', 'any'], since: 2 },
  {
    byte: 0x4b,
    name: 'dig',
    immediates: [{ name: 'n', kind: 'uint8' }],
    args: ['any'],
    returns: ['any', 'any'],
    since: 3,
  },
  { byte: 0x4c, name: 'swap', args: ['any', 'any'], returns: ['any', 'any'], since: 3 },
  { byte: 0x4d, name: 'select', args: ['any', 'any', 'uint64'], returns: ['any'], since: 3 },
  { byte: 0x4e, name: 'cover', immediates: [{ name: 'n', kind: 'uint8' }], args: ['any'], returns: ['any'], since: 5 },
  {
    byte: 0x4f,
    name: 'uncover',
    immediates: [{ name: 'n', kind: 'uint8' }],
    args: ['any'],
    returns: ['any'],
    since: 5,
  },
];
