import { OpcodeFailure } from '../machine/program-error.ts';
import { bytesOfCharacters, charactersOf } from './byte-characters.ts';
import { jsonMembers } from './json-members.ts';
import { unescaped } from './json-string.ts';
import { checkJsonSyntax, type JsonKind } from './json-syntax.ts';
import { decodeUtf8 } from './utf8.ts';

const MAX_UINT64 = 0xffffffffffffffffn;

/** The string at a key of an object, in UTF-8. */
export function jsonString(text: Uint8Array, key: Uint8Array): Uint8Array {
  const raw = valueAt(text, key);
  expectKind(raw, 'string', 'string');
  const content = unescaped(raw.slice(1, -1));
  return new TextEncoder().encode(decodeUtf8(bytesOfCharacters(content)));
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
  return bytesOfCharacters(raw);
}

function valueAt(text: Uint8Array, key: Uint8Array): string {
  const raw = jsonMembers(charactersOf(text)).get(charactersOf(key));
  if (raw === undefined) throw new OpcodeFailure(`key ${decodeUtf8(key)} not found in JSON text`);
  return raw;
}

function expectKind(raw: string, wanted: JsonKind, type: string): void {
  const kind = checkJsonSyntax(raw);
  if (kind !== wanted) throw wrongType(kind, type);
}

function wrongType(value: string, type: string): OpcodeFailure {
  return new OpcodeFailure(`json: cannot unmarshal ${value} into Go value of type ${type}`);
}
