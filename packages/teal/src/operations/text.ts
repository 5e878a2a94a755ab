import { BASE64_ENCODINGS, JSON_TYPES } from '../fields/text-fields.ts';
import { fieldName } from '../machine/field-group.ts';
import type { Operands } from '../machine/operands.ts';
import type { Machine } from '../machine/machine.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { jsonObject, jsonString, jsonUint64 } from '../text/json-ref.ts';
import { decodeBase64 } from './base64.ts';

/** By the number of the type. */
const JSON_READERS = [jsonString, jsonUint64, jsonObject];

export function decodeBase64Text(machine: Machine, { first }: Operands): void {
  const encoding = BASE64_ENCODINGS.fieldOf(first)?.name;
  if (encoding === undefined) {
    throw new OpcodeFailure(`invalid base64_decode encoding ${fieldName(BASE64_ENCODINGS, first)}`);
  }
  machine.replace(1, decodeBase64(machine.bytes(0), encoding === 'URLEncoding' ? 'url' : 'standard'));
}

/** Takes a member out of a JSON object. The key leaves the stack before anything can fail. */
export function jsonMember(machine: Machine, { first }: Operands): void {
  const key = machine.bytes(0);
  machine.drop(1);
  const read = JSON_READERS[first];
  if (read === undefined) throw new OpcodeFailure(`invalid json_ref type ${fieldName(JSON_TYPES, first)}`);
  machine.replace(1, read(machine.bytes(0), key));
}
