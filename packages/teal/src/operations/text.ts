import { BASE64_ENCODINGS, JSON_TYPES } from '../fields/text-fields.ts';
import { fieldName } from '../fields/field-group.ts';
import type { Instruction } from '../machine/instruction.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { MAX_UINT64, type StackValue } from '../machine/stack-value.ts';
import { decodeBase64 } from './base64.ts';
import { readMembers, unescapeBytes } from './json-reference.ts';
import { strictKindOf } from './strict-json.ts';

const textEncoder = new TextEncoder();
const textDecoder = new TextDecoder();

export function decodeBase64Text(machine: Machine, { first }: Instruction): void {
  const encoding = BASE64_ENCODINGS.fieldOf(first)?.name;
  if (encoding === undefined) {
    throw new OpcodeFailure(`invalid base64_decode encoding ${fieldName(BASE64_ENCODINGS, first)}`);
  }
  machine.replace(1, decodeBase64(machine.bytes(0), encoding === 'URLEncoding' ? 'url' : 'standard'));
}

/** Takes a member out of a JSON object. The key leaves the stack before anything can fail. */
export function jsonMember(machine: Machine, { first }: Instruction): void {
  const key = machine.bytes(0);
  machine.drop(1);
  const type = JSON_TYPES.fieldOf(first)?.name;
  if (type === undefined) throw new OpcodeFailure(`invalid json_ref type ${fieldName(JSON_TYPES, first)}`);
  const raw = readMembers(byteText(machine.bytes(0))).get(byteText(key));
  if (raw === undefined) throw new OpcodeFailure(`key ${textDecoder.decode(key)} not found in JSON text`);
  // algod's codec makes nothing of null.
  machine.replace(1, jsonValue(raw === 'null' ? '' : raw, type));
}

function jsonValue(raw: string, type: string): StackValue {
  if (type === 'JSONString') return jsonString(raw);
  if (type === 'JSONUint64') return jsonInteger(raw);
  checkKind(raw, 'object', 'map[string]json.RawMessage');
  return bytesOf(raw);
}

function jsonString(raw: string): Uint8Array {
  checkKind(raw, 'string', 'string');
  // Bytes that are no UTF-8 become U+FFFD.
  return textEncoder.encode(textDecoder.decode(bytesOf(unescapeBytes(raw.slice(1, -1)))));
}

function jsonInteger(raw: string): bigint {
  checkKind(raw, 'number', 'uint64');
  const value = /^\d+$/.test(raw) ? BigInt(raw) : undefined;
  if (value !== undefined && value <= MAX_UINT64) return value;
  throw new OpcodeFailure(`json: cannot unmarshal number ${raw} into Go value of type uint64`);
}

function checkKind(raw: string, wanted: string, goType: string): void {
  const kind = strictKindOf(raw);
  if (kind !== wanted) throw new OpcodeFailure(`json: cannot unmarshal ${kind} into Go value of type ${goType}`);
}

/** One character a byte. */
function byteText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
