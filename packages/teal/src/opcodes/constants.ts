import type { OpcodeRow } from './opcode.ts';

/** Constants in the program. */
export const CONSTANT_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x20, name: 'intcblock', immediates: [{ name: 'uint ...', kind: 'uints' }], since: 1 },
  { byte: 0x21, name: 'intc', immediates: [{ name: 'i', kind: 'uint8' }], returns: ['uint64'], since: 1 },
  { byte: 0x22, name: 'intc_0', returns: ['uint64'], since: 1 },
  { byte: 0x23, name: 'intc_1', returns: ['uint64'], since: 1 },
  { byte: 0x24, name: 'intc_2', returns: ['uint64'], since: 1 },
  { byte: 0x25, name: 'intc_3', returns: ['uint64'], since: 1 },
  { byte: 0x26, name: 'bytecblock', immediates: [{ name: 'bytes ...', kind: 'byteStrings' }], since: 1 },
  { byte: 0x27, name: 'bytec', immediates: [{ name: 'i', kind: 'uint8' }], returns: ['[]byte'], since: 1 },
  { byte: 0x28, name: 'bytec_0', returns: ['[]byte'], since: 1 },
  { byte: 0x29, name: 'bytec_1', returns: ['[]byte'], since: 1 },
  { byte: 0x2a, name: 'bytec_2', returns: ['[]byte'], since: 1 },
  { byte: 0x2b, name: 'bytec_3', returns: ['[]byte'], since: 1 },
  { byte: 0x80, name: 'pushbytes', immediates: [{ name: 'bytes', kind: 'bytes' }], returns: ['[]byte'], since: 3 },
  { byte: 0x81, name: 'pushint', immediates: [{ name: 'uint', kind: 'uint' }], returns: ['uint64'], since: 3 },
  { byte: 0x82, name: 'pushbytess', immediates: [{ name: 'bytes ...', kind: 'byteStrings' }], since: 8 },
  { byte: 0x83, name: 'pushints', immediates: [{ name: 'uint ...', kind: 'uints' }], since: 8 },
];
