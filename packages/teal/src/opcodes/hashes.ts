import { MIMC_CONFIGURATIONS, POSEIDON2_CONFIGURATIONS } from '../fields/crypto-fields.ts';
import {
  hashKeccak256,
  hashMimc,
  hashPoseidon2,
  hashSha256,
  hashSha3_256,
  hashSha512,
  hashSha512_256,
  hashSumhash512,
} from '../operations/hashes.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Hash functions. */
export const HASH_OPCODES: readonly OpcodeRow[] = [
  { byte: 0x01, name: 'sha256', args: ['[]byte'], returns: ['[32]byte'], cost: 7, since: 1, run: hashSha256 },
  { byte: 0x01, name: 'sha256', args: ['[]byte'], returns: ['[32]byte'], cost: 35, since: 2, run: hashSha256 },
  { byte: 0x02, name: 'keccak256', args: ['[]byte'], returns: ['[32]byte'], cost: 26, since: 1, run: hashKeccak256 },
  { byte: 0x02, name: 'keccak256', args: ['[]byte'], returns: ['[32]byte'], cost: 130, since: 2, run: hashKeccak256 },
  { byte: 0x03, name: 'sha512_256', args: ['[]byte'], returns: ['[32]byte'], cost: 9, since: 1, run: hashSha512_256 },
  { byte: 0x03, name: 'sha512_256', args: ['[]byte'], returns: ['[32]byte'], cost: 45, since: 2, run: hashSha512_256 },
  {
    byte: 0x87,
    name: 'sha512',
    args: ['[]byte'],
    returns: ['[64]byte'],
    cost: { base: 15, each: 2, per: 32, depth: 0 },
    since: 13,
    run: hashSha512,
  },
  { byte: 0x98, name: 'sha3_256', args: ['[]byte'], returns: ['[32]byte'], cost: 130, since: 7, run: hashSha3_256 },
  {
    byte: 0xe6,
    name: 'mimc',
    immediates: [{ name: 'c', kind: 'field', group: MIMC_CONFIGURATIONS }],
    args: ['[]byte'],
    returns: ['[32]byte'],
    cost: {
      byField: [
        { base: 10, each: 550, per: 32, depth: 0 },
        { base: 10, each: 550, per: 32, depth: 0 },
      ],
    },
    since: 11,
    run: hashMimc,
  },
  {
    byte: 0xe7,
    name: 'poseidon2',
    immediates: [{ name: 'c', kind: 'field', group: POSEIDON2_CONFIGURATIONS }],
    args: ['[]byte'],
    returns: ['[32]byte'],
    cost: {
      byField: [
        { base: 7, each: 350, per: 32, depth: 0 },
        { base: 7, each: 350, per: 32, depth: 0 },
      ],
    },
    since: 13,
    run: hashPoseidon2,
  },
  {
    byte: 0x86,
    name: 'sumhash512',
    args: ['[]byte'],
    returns: ['[64]byte'],
    cost: { base: 150, each: 7, per: 4, depth: 0 },
    since: 14,
    run: hashSumhash512,
  },
];
