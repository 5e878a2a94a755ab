import { popsNothing } from '../operations/stack.ts';
import {
  buryInFrame,
  callSubroutine,
  declareFrame,
  digInFrame,
  popsFrame,
  popsToPlace,
  returnFromSubroutine,
} from '../operations/subroutines.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Subroutines and their frames. */
export const SUBROUTINE_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x88, name: 'callsub', immediates: [{ name: 'target', kind: 'label' }], since: 4, run: callSubroutine },
  { byte: 0x89, name: 'retsub', since: 4, run: returnFromSubroutine, pops: popsFrame, endsFlow: true },
  {
    byte: 0x8a,
    name: 'proto',
    immediates: [
      { name: 'a', kind: 'uint8' },
      { name: 'r', kind: 'uint8' },
    ],
    since: 8,
    run: declareFrame,
  },
  {
    byte: 0x8b,
    name: 'frame_dig',
    immediates: [{ name: 'i', kind: 'int8' }],
    returns: ['any'],
    since: 8,
    run: digInFrame,
    pops: popsNothing,
  },
  {
    byte: 0x8c,
    name: 'frame_bury',
    immediates: [{ name: 'i', kind: 'int8' }],
    args: ['any'],
    since: 8,
    run: buryInFrame,
    pops: popsToPlace,
  },
];
