import type { OpcodeRow } from './opcode.ts';

/** Subroutines and their frames. */
export const SUBROUTINE_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x88, name: 'callsub', immediates: [{ name: 'target', kind: 'label' }], since: 4 },
  { byte: 0x89, name: 'retsub', since: 4 },
  {
    byte: 0x8a,
    name: 'proto',
    immediates: [
      { name: 'a', kind: 'uint8' },
      { name: 'r', kind: 'uint8' },
    ],
    since: 8,
  },
  { byte: 0x8b, name: 'frame_dig', immediates: [{ name: 'i', kind: 'int8' }], returns: ['any'], since: 8 },
  { byte: 0x8c, name: 'frame_bury', immediates: [{ name: 'i', kind: 'int8' }], args: ['any'], since: 8 },
];
