import { ECDSA_CURVES, VRF_STANDARDS } from '../fields/crypto-fields.ts';
import { verifyBareEd25519, verifyEd25519 } from '../operations/signatures.ts';
import type { OpcodeRow } from './opcode.ts';

/** Signatures and verifiable randomness. */
export const SIGNATURE_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x04,
    name: 'ed25519verify',
    args: ['[]byte', '[64]byte', '[32]byte'],
    returns: ['bool'],
    cost: 1900,
    since: 1,
    modes: ['signature'],
    run: verifyEd25519,
  },
  {
    byte: 0x04,
    name: 'ed25519verify',
    args: ['[]byte', '[64]byte', '[32]byte'],
    returns: ['bool'],
    cost: 1900,
    since: 5,
    run: verifyEd25519,
  },
  {
    byte: 0x05,
    name: 'ecdsa_verify',
    immediates: [{ name: 'v', kind: 'field', group: ECDSA_CURVES }],
    args: ['[32]byte', '[32]byte', '[32]byte', '[32]byte', '[32]byte'],
    returns: ['bool'],
    cost: { byField: [1700, 2500] },
    since: 5,
  },
  {
    byte: 0x06,
    name: 'ecdsa_pk_decompress',
    immediates: [{ name: 'v', kind: 'field', group: ECDSA_CURVES }],
    args: ['[33]byte'],
    returns: ['[32]byte', '[32]byte'],
    cost: { byField: [650, 2400] },
    since: 5,
  },
  {
    byte: 0x07,
    name: 'ecdsa_pk_recover',
    immediates: [{ name: 'v', kind: 'field', group: ECDSA_CURVES }],
    args: ['[32]byte', 'uint64', '[32]byte', '[32]byte'],
    returns: ['[32]byte', '[32]byte'],
    cost: 2000,
    since: 5,
  },
  {
    byte: 0x84,
    name: 'ed25519verify_bare',
    args: ['[]byte', '[64]byte', '[32]byte'],
    returns: ['bool'],
    cost: 1900,
    since: 7,
    run: verifyBareEd25519,
  },
  {
    byte: 0x85,
    name: 'falcon_verify',
    args: ['[]byte', '[]byte', '[1793]byte'],
    returns: ['bool'],
    cost: 1700,
    since: 12,
  },
  {
    byte: 0xd0,
    name: 'vrf_verify',
    immediates: [{ name: 's', kind: 'field', group: VRF_STANDARDS }],
    args: ['[]byte', '[80]byte', '[32]byte'],
    returns: ['[64]byte', 'bool'],
    cost: 5700,
    since: 7,
  },
];
