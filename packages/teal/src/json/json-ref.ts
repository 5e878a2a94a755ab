import { OpcodeFailure } from '../machine/program-error.ts';
import { bytesOf, byteTextOf, readable } from '../go/byte-text.ts';
import { jsonProblem } from '../go/json-problem.ts';
import { MAX_UINT64 } from '../go/number.ts';
import { jsonMembers } from './json-members.ts';
import { unescaped } from './json-string.ts';

/** The kinds of values as Go's messages name them. */
type JsonKind = 'object' | 'array' | 'string' | 'number' | 'bool';

/** The kind of a value by its first character; any other starts a number. */
const KINDS: Readonly<Record<string, JsonKind>> = { '{': 'object', '[': 'array', '"': 'string', t: 'bool', f: 'bool' };

/** The string at a key of an object, in UTF-8. */
export function jsonString(text: Uint8Array, key: Uint8Array): Uint8Array {
  const raw = valueAt(text, key);
  expectKind(raw, 'string', 'string');
  const content = unescaped(raw.slice(1, -1));
  return new TextEncoder().encode(readable(content));
}

/** The number at a key of an object. */
export function jsonUint64(text: Uint8Array, key: Uint8Array): bigint {
  const raw = valueAt(text, key);
  expectKind(raw, 'number', 'uint64');
  const number = /^\d+$/.test(raw) ? BigInt(raw) : undefined;
  if (number === undefined || number > MAX_UINT64) throw wrongType(`number ${raw}`, 'uint64');
  return number;
}

/** The object at a key of an object, as it is written. */
export function jsonObject(text: Uint8Array, key: Uint8Array): Uint8Array {
  const raw = valueAt(text, key);
  expectKind(raw, 'object', 'map[string]json.RawMessage');
  return bytesOf(raw);
}

function valueAt(text: Uint8Array, key: Uint8Array): string {
  const raw = jsonMembers(byteTextOf(text)).get(byteTextOf(key));
  if (raw === undefined) throw new OpcodeFailure(`key ${readable(byteTextOf(key))} not found in JSON text`);
  return raw;
}

/** Checks a value that `jsonMembers` extracted as Go's strict decoder does. */
function expectKind(raw: string, wanted: JsonKind, type: string): void {
  const problem = jsonProblem(raw);
  if (problem !== undefined) throw new OpcodeFailure(problem);
  const kind = KINDS[raw.charAt(0)] ?? 'number';
  if (kind !== wanted) throw wrongType(kind, type);
}

function wrongType(value: string, type: string): OpcodeFailure {
  return new OpcodeFailure(`json: cannot unmarshal ${value} into Go value of type ${type}`);
}
