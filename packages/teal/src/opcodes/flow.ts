import {
  assert,
  branch,
  branchIfNotZero,
  branchIfZero,
  fail,
  match,
  popsLabels,
  returnTop,
  switchByIndex,
} from '../operations/flow.ts';
import { popsAll } from '../operations/stack.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Branches and program ends. */
export const FLOW_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x00, name: 'err', since: 1, run: fail, endsFlow: true },
  {
    byte: 0x40,
    name: 'bnz',
    immediates: [{ name: 'target', kind: 'label' }],
    args: ['uint64'],
    since: 1,
    run: branchIfNotZero,
  },
  {
    byte: 0x41,
    name: 'bz',
    immediates: [{ name: 'target', kind: 'label' }],
    args: ['uint64'],
    since: 2,
    run: branchIfZero,
  },
  { byte: 0x42, name: 'b', immediates: [{ name: 'target', kind: 'label' }], since: 2, run: branch, endsFlow: true },
  { byte: 0x43, name: 'return', args: ['uint64'], since: 2, run: returnTop, pops: popsAll, endsFlow: true },
  { byte: 0x44, name: 'assert', args: ['uint64'], since: 3, run: assert },
  {
    byte: 0x8d,
    name: 'switch',
    immediates: [{ name: 'target ...', kind: 'labels' }],
    args: ['uint64'],
    since: 8,
    run: switchByIndex,
  },
  {
    byte: 0x8e,
    name: 'match',
    immediates: [{ name: 'target ...', kind: 'labels' }],
    args: ['any'],
    since: 8,
    run: match,
    pops: popsLabels,
  },
];
