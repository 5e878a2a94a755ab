import { OpcodeFailure } from '../machine/program-error.ts';
import { JsonCursor } from './json-cursor.ts';
import { type JsonRules, walkJson } from './json-walk.ts';

const INVALID = 'error while parsing JSON text, invalid json text';
const STRING = /"(?:[^"\\]|\\(?:["\\/'bfnrt]|u[0-9a-fA-F]{4}))*"/;
const LITERAL = /true|false|null/;
const NUMBER_CHARACTERS = /[0-9+\-.eE]+/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** What is wrong inside a value shows only when the value is asked for. */
const LAX: JsonRules = { readScalar, checkName: () => undefined, fail: invalid };

/**
 * The members of a JSON object as algod's decoder cuts them out, which is laxer than JSON: names as they are written,
 * without quotes, and raw values, empty for null. What follows the object is not read.
 */
export function jsonMembers(text: string, nameOf: (content: string) => string): ReadonlyMap<string, string> {
  const cursor = new JsonCursor(text);
  const start = cursor.peekToken();
  if (start === undefined) return invalid();
  if (start !== '{') throw new OpcodeFailure(`${INVALID}, only json object is allowed`);
  cursor.next();
  const members = new Map<string, string>();
  while (cursor.peekToken() !== '}') {
    if (members.size > 0) expect(cursor, ',');
    cursor.peekToken();
    const name = nameOf((cursor.take(STRING) ?? invalid()).slice(1, -1));
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
  if (cursor.take(STRING) !== undefined || cursor.take(LITERAL) !== undefined) return;
  const number = cursor.take(NUMBER_CHARACTERS) ?? '';
  if (!NUMBER.test(number) || !Number.isFinite(Number(number))) invalid();
}

function invalid(): never {
  throw new OpcodeFailure(INVALID);
}
