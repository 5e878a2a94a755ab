import { isBytes } from '../go/base32.ts';
import { decodeBase64, endsInPadding } from '../go/base64.ts';
import { fieldGroup, fieldName } from '../machine/field-group.ts';
import type { Machine } from '../machine/machine.ts';
import { oneOf, type OpcodeRow, type Operands } from '../machine/opcode.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { jsonObject, jsonString, jsonUint64 } from '../json/json-ref.ts';

/** Alphabets of base64. */
const BASE64_ENCODINGS = fieldGroup('base64', 'Base64Encoding', [
  { code: 0, name: 'URLEncoding' },
  { code: 1, name: 'StdEncoding' },
]);

/** Kinds of JSON values. */
const JSON_TYPES = fieldGroup('json_ref', 'JSONRefType', [
  { code: 0, name: 'JSONString', type: '[]byte' },
  { code: 1, name: 'JSONUint64', type: 'uint64' },
  { code: 2, name: 'JSONObject', type: '[]byte' },
]);

/** Base64 and JSON. */
export const TEXT_OPCODES: readonly OpcodeRow[] = [
  {
    byte: 0x5e,
    name: 'base64_decode',
    immediates: [oneOf('e', BASE64_ENCODINGS)],
    stack: 'b:b',
    cost: { base: 1, each: 1, per: 16, depth: 0 },
    since: 7,
    run: decodeBase64Text,
  },
  {
    byte: 0x5f,
    name: 'json_ref',
    immediates: [oneOf('r', JSON_TYPES)],
    stack: 'bb:a',
    cost: { base: 25, each: 2, per: 7, depth: 1 },
    since: 7,
    run: jsonMember,
  },
];

/** Readers by type number. */
const JSON_READERS = [jsonString, jsonUint64, jsonObject];

/**
 * Decodes base64. Padding may be left out, but if the last character before line ends is `=`, the padding must be
 * complete.
 */
function decodeBase64Text(machine: Machine, { first }: Operands): void {
  const encoding = BASE64_ENCODINGS.fieldOf(first)?.name;
  if (encoding === undefined) {
    throw new OpcodeFailure(`invalid base64_decode encoding ${fieldName(BASE64_ENCODINGS, first)}`);
  }
  const text = machine.bytes(0);
  const alphabet = encoding === 'URLEncoding' ? 'url' : 'standard';
  const decoded = decodeBase64(text, { alphabet, isPadded: endsInPadding(text), isStrict: true });
  if (!isBytes(decoded)) throw new OpcodeFailure(`illegal base64 data at input byte ${decoded.corruptAt}`);
  machine.replace(1, Uint8Array.from(decoded));
}

/** Extracts a member of a JSON object. The key leaves the stack before anything can fail. */
function jsonMember(machine: Machine, { first }: Operands): void {
  const key = machine.bytes(0);
  machine.drop(1);
  const read = JSON_READERS[first];
  if (read === undefined) throw new OpcodeFailure(`invalid json_ref type ${fieldName(JSON_TYPES, first)}`);
  machine.replace(1, read(machine.bytes(0), key));
}
