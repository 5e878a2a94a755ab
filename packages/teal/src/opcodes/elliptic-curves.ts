import { EC_GROUPS } from '../fields/crypto-fields.ts';
import {
  addPoints,
  checkPairingOfPoints,
  checkSubgroup,
  mapToPoint,
  multiplyPoint,
  multiplyPoints,
} from '../operations/elliptic-curves.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Points of pairing-friendly curves. */
export const ELLIPTIC_CURVE_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0xe0,
    name: 'ec_add',
    immediates: [{ name: 'g', kind: 'field', group: EC_GROUPS }],
    args: ['[]byte', '[]byte'],
    returns: ['[]byte'],
    cost: { byField: [125, 170, 205, 290] },
    since: 10,
    run: addPoints,
  },
  {
    byte: 0xe1,
    name: 'ec_scalar_mul',
    immediates: [{ name: 'g', kind: 'field', group: EC_GROUPS }],
    args: ['[]byte', '[]byte'],
    returns: ['[]byte'],
    cost: { byField: [1810, 3430, 2950, 6530] },
    since: 10,
    run: multiplyPoint,
  },
  {
    byte: 0xe2,
    name: 'ec_pairing_check',
    immediates: [{ name: 'g', kind: 'field', group: EC_GROUPS }],
    args: ['[]byte', '[]byte'],
    returns: ['bool'],
    cost: {
      byField: [
        { base: 8000, each: 7400, per: 64, depth: 0 },
        { base: 8000, each: 7400, per: 128, depth: 0 },
        { base: 13000, each: 10000, per: 96, depth: 0 },
        { base: 13000, each: 10000, per: 192, depth: 0 },
      ],
    },
    since: 10,
    run: checkPairingOfPoints,
  },
  {
    byte: 0xe3,
    name: 'ec_multi_scalar_mul',
    immediates: [{ name: 'g', kind: 'field', group: EC_GROUPS }],
    args: ['[]byte', '[]byte'],
    returns: ['[]byte'],
    cost: {
      byField: [
        { base: 3600, each: 90, per: 32, depth: 0 },
        { base: 7200, each: 270, per: 32, depth: 0 },
        { base: 6500, each: 95, per: 32, depth: 0 },
        { base: 14850, each: 485, per: 32, depth: 0 },
      ],
    },
    since: 10,
    run: multiplyPoints,
  },
  {
    byte: 0xe4,
    name: 'ec_subgroup_check',
    immediates: [{ name: 'g', kind: 'field', group: EC_GROUPS }],
    args: ['[]byte'],
    returns: ['bool'],
    cost: { byField: [20, 3100, 1850, 2340] },
    since: 10,
    run: checkSubgroup,
  },
  {
    byte: 0xe5,
    name: 'ec_map_to',
    immediates: [{ name: 'g', kind: 'field', group: EC_GROUPS }],
    args: ['[]byte'],
    returns: ['[]byte'],
    cost: { byField: [630, 3300, 1950, 8150] },
    since: 10,
    run: mapToPoint,
  },
];
