import { BASE64_ENCODINGS, JSON_TYPES } from '../fields/text-fields.ts';
import { decodeBase64Text, jsonMember } from '../operations/text.ts';
import type { OpcodeRow } from '../machine/opcode.ts';

/** Base64 and JSON. */
export const TEXT_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x5e,
    name: 'base64_decode',
    immediates: [{ name: 'e', kind: 'field', group: BASE64_ENCODINGS }],
    args: ['[]byte'],
    returns: ['[]byte'],
    cost: { base: 1, each: 1, per: 16, depth: 0 },
    since: 7,
    run: decodeBase64Text,
  },
  {
    byte: 0x5f,
    name: 'json_ref',
    immediates: [{ name: 'r', kind: 'field', group: JSON_TYPES }],
    args: ['[]byte', '[]byte'],
    returns: ['any'],
    cost: { base: 25, each: 2, per: 7, depth: 1 },
    since: 7,
    run: jsonMember,
  },
];
