import {
  groupId,
  groupIdByStack,
  groupLoad,
  groupLoadAllByStack,
  groupLoadByStack,
} from '../operations/group-state.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Results of earlier application calls in the group. */
export const GROUP_STATE_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x3a,
    name: 'gload',
    immediates: [
      { name: 't', kind: 'uint8' },
      { name: 'i', kind: 'uint8' },
    ],
    returns: ['any'],
    since: 4,
    modes: ['application'],
    run: groupLoad,
  },
  {
    byte: 0x3b,
    name: 'gloads',
    immediates: [{ name: 'i', kind: 'uint8' }],
    args: ['uint64'],
    returns: ['any'],
    since: 4,
    modes: ['application'],
    run: groupLoadByStack,
  },
  {
    byte: 0x3c,
    name: 'gaid',
    immediates: [{ name: 't', kind: 'uint8' }],
    returns: ['uint64'],
    since: 4,
    modes: ['application'],
    run: groupId,
  },
  {
    byte: 0x3d,
    name: 'gaids',
    args: ['uint64'],
    returns: ['uint64'],
    since: 4,
    modes: ['application'],
    run: groupIdByStack,
  },
  {
    byte: 0xc4,
    name: 'gloadss',
    args: ['uint64', 'uint64'],
    returns: ['any'],
    since: 6,
    modes: ['application'],
    run: groupLoadAllByStack,
  },
];
