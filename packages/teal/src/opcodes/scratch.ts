import { load, loadByStack, store, storeByStack, storesAt, storesByStack } from '../operations/scratch.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** The 256 slots in which a program stores values. */
export const SCRATCH_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x34, name: 'load', immediates: [{ name: 'i', kind: 'uint8' }], returns: ['any'], since: 1, run: load },
  {
    byte: 0x35,
    name: 'store',
    immediates: [{ name: 'i', kind: 'uint8' }],
    args: ['any'],
    since: 1,
    run: store,
    stores: storesAt,
  },
  { byte: 0x3e, name: 'loads', args: ['uint64'], returns: ['any'], since: 5, run: loadByStack },
  { byte: 0x3f, name: 'stores', args: ['uint64', 'any'], since: 5, run: storeByStack, stores: storesByStack },
];
