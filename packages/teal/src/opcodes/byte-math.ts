import type { OpcodeRow } from './opcode.ts';

/** Big-endian numbers of up to 64 bytes. */
export const BYTE_MATH_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x96, name: 'bsqrt', args: ['bigint'], returns: ['bigint'], cost: 40, since: 6 },
  { byte: 0xa0, name: 'b+', args: ['bigint', 'bigint'], returns: ['[]byte'], cost: 10, since: 4 },
  { byte: 0xa1, name: 'b-', args: ['bigint', 'bigint'], returns: ['bigint'], cost: 10, since: 4 },
  { byte: 0xa2, name: 'b/', args: ['bigint', 'bigint'], returns: ['bigint'], cost: 20, since: 4 },
  { byte: 0xa3, name: 'b*', args: ['bigint', 'bigint'], returns: ['[]byte'], cost: 20, since: 4 },
  { byte: 0xa4, name: 'b<', args: ['bigint', 'bigint'], returns: ['bool'], since: 4 },
  { byte: 0xa5, name: 'b>', args: ['bigint', 'bigint'], returns: ['bool'], since: 4 },
  { byte: 0xa6, name: 'b<=', args: ['bigint', 'bigint'], returns: ['bool'], since: 4 },
  { byte: 0xa7, name: 'b>=', args: ['bigint', 'bigint'], returns: ['bool'], since: 4 },
  { byte: 0xa8, name: 'b==', args: ['bigint', 'bigint'], returns: ['bool'], since: 4 },
  { byte: 0xa9, name: 'b!=', args: ['bigint', 'bigint'], returns: ['bool'], since: 4 },
  { byte: 0xaa, name: 'b%', args: ['bigint', 'bigint'], returns: ['bigint'], cost: 20, since: 4 },
  { byte: 0xab, name: 'b|', args: ['[]byte', '[]byte'], returns: ['[]byte'], cost: 6, since: 4 },
  { byte: 0xac, name: 'b&', args: ['[]byte', '[]byte'], returns: ['[]byte'], cost: 6, since: 4 },
  { byte: 0xad, name: 'b^', args: ['[]byte', '[]byte'], returns: ['[]byte'], cost: 6, since: 4 },
  { byte: 0xae, name: 'b~', args: ['[]byte'], returns: ['[]byte'], cost: 4, since: 4 },
];
