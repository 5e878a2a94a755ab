import type { OpcodeRow } from './opcode.ts';

/** Byte strings: cutting, joining, single bits and bytes. */
export const BYTES_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x15, name: 'len', args: ['[]byte'], returns: ['uint64'], since: 1 },
  { byte: 0x50, name: 'concat', args: ['[]byte', '[]byte'], returns: ['[]byte'], since: 2 },
  {
    byte: 0x51,
    name: 'substring',
    immediates: [
      { name: 's', kind: 'uint8' },
      { name: 'e', kind: 'uint8' },
    ],
    args: ['[]byte'],
    returns: ['[]byte'],
    since: 2,
  },
  { byte: 0x52, name: 'substring3', args: ['[]byte', 'uint64', 'uint64'], returns: ['[]byte'], since: 2 },
  { byte: 0x53, name: 'getbit', args: ['any', 'uint64'], returns: ['uint64'], since: 3 },
  { byte: 0x54, name: 'setbit', args: ['any', 'uint64', 'uint64'], returns: ['any'], since: 3 },
  { byte: 0x55, name: 'getbyte', args: ['[]byte', 'uint64'], returns: ['uint64'], since: 3 },
  { byte: 0x56, name: 'setbyte', args: ['[]byte', 'uint64', 'uint64'], returns: ['[]byte'], since: 3 },
  {
    byte: 0x57,
    name: 'extract',
    immediates: [
      { name: 's', kind: 'uint8' },
      { name: 'l', kind: 'uint8' },
    ],
    args: ['[]byte'],
    returns: ['[]byte'],
    since: 5,
  },
  { byte: 0x58, name: 'extract3', args: ['[]byte', 'uint64', 'uint64'], returns: ['[]byte'], since: 5 },
  { byte: 0x59, name: 'extract_uint16', args: ['[]byte', 'uint64'], returns: ['uint64'], since: 5 },
  { byte: 0x5a, name: 'extract_uint32', args: ['[]byte', 'uint64'], returns: ['uint64'], since: 5 },
  { byte: 0x5b, name: 'extract_uint64', args: ['[]byte', 'uint64'], returns: ['uint64'], since: 5 },
  {
    byte: 0x5c,
    name: 'replace2',
    immediates: [{ name: 's', kind: 'uint8' }],
    args: ['[]byte', '[]byte'],
    returns: ['[]byte'],
    since: 7,
  },
  { byte: 0x5d, name: 'replace3', args: ['[]byte', 'uint64', '[]byte'], returns: ['[]byte'], since: 7 },
  { byte: 0xaf, name: 'bzero', args: ['uint64'], returns: ['[]byte'], since: 4 },
];
