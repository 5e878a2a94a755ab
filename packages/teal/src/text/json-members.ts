import { OpcodeFailure } from '../machine/program-error.ts';
import { JsonCursor } from './json-cursor.ts';
import { readLaxString } from './json-string.ts';
import { type JsonRules, walkJson } from './json-walk.ts';

const INVALID = 'error while parsing JSON text, invalid json text';
const LITERAL = /true|false|null/;
const NUMBER_CHARACTERS = /[0-9+\-.eE]+/;
/** A sign alone also counts as a number. */
const NUMBER = /^[+-]$|^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Errors inside a value appear only when the value is read. */
const LAX: JsonRules = { readScalar, checkName: () => undefined, fail: invalid };

/**
 * The members of a JSON object as algod's decoder extracts them, which is more lenient than JSON: names without
 * escapes, and raw values, which are empty for null. Text after the object is not read.
 */
export function jsonMembers(text: string): ReadonlyMap<string, string> {
  const cursor = new JsonCursor(text);
  const start = cursor.peekToken();
  if (start === undefined) return invalid();
  if (start !== '{') throw new OpcodeFailure(`${INVALID}, only json object is allowed`);
  cursor.next();
  const members = new Map<string, string>();
  while (cursor.peekToken() !== '}') {
    if (members.size > 0) expect(cursor, ',');
    cursor.peekToken();
    const name = readLaxString(cursor) ?? invalid();
    expect(cursor, ':');
    const isNull = cursor.peekToken() === 'n';
    if (!isNull && members.has(name)) throw new OpcodeFailure(`${INVALID}, duplicate keys not allowed`);
    const { place } = cursor;
    walkJson(cursor, LAX);
    members.set(name, isNull ? '' : cursor.text.slice(place, cursor.place));
  }
  return members;
}

function expect(cursor: JsonCursor, character: string): void {
  if (cursor.peekToken() !== character) invalid();
  cursor.next();
}

function readScalar(cursor: JsonCursor): void {
  if (cursor.peek() === '"') {
    if (readLaxString(cursor) === undefined) invalid();
    return;
  }
  if (cursor.take(LITERAL) !== undefined) return;
  const number = cursor.take(NUMBER_CHARACTERS) ?? '';
  if (!NUMBER.test(number) || Math.abs(Number(number)) === Infinity) invalid();
}

function invalid(): never {
  throw new OpcodeFailure(INVALID);
}
