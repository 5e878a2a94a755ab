import { OpcodeFailure } from '../machine/program-error.ts';
import { JsonCursor } from './json-cursor.ts';
import { type JsonRules, walkJson } from './json-walk.ts';

/** The kinds of values as Go's messages name them. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'bool';

const GO_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["'", String.raw`\'`],
  ['\u0007', String.raw`\a`],
  ['\b', String.raw`\b`],
  ['\f', String.raw`\f`],
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
  ['\v', String.raw`\v`],
]);

const KINDS: ReadonlyMap<string | undefined, JsonKind> = new Map([
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'string'],
  ['t', 'bool'],
  ['f', 'bool'],
]);

const STRICT: JsonRules = { readScalar, checkName, fail };

/**
 * The kind of a value that `jsonMembers` extracted, after Go's strict check of its syntax, with Go's messages. Literals
 * and the ends of strings and brackets are known to be right.
 */
export function checkJsonSyntax(raw: string): JsonKind {
  const cursor = new JsonCursor(raw);
  walkJson(cursor, STRICT);
  if (cursor.peekToken() !== undefined) fail(cursor, 'after top-level value');
  return KINDS.get(raw[0]) ?? 'number';
}

function readScalar(cursor: JsonCursor): void {
  const first = cursor.peekToken() ?? '';
  if (first === '"') checkString(cursor);
  else if (cursor.take(/-/) !== undefined) checkDigits(cursor, 'in numeric literal');
  else if (/\d/.test(first)) checkDigits(cursor, 'looking for beginning of value');
  else if (cursor.take(/true|false|null/) === undefined) fail(cursor, 'looking for beginning of value');
}

function checkName(cursor: JsonCursor): void {
  if (cursor.peekToken() !== '"') fail(cursor, 'looking for beginning of object key string');
}

function checkString(cursor: JsonCursor): void {
  cursor.next();
  for (let character = cursor.peek(); character !== '"'; character = cursor.peek()) {
    if (character === undefined || character < ' ') fail(cursor, 'in string literal');
    cursor.next();
    if (character !== '\\') continue;
    if (cursor.peek() === "'") fail(cursor, 'in string escape code');
    if (cursor.next() === 'u') checkUnit(cursor);
  }
  cursor.next();
}

function checkUnit(cursor: JsonCursor): void {
  for (let digits = 0; digits < 4; digits += 1) {
    if (cursor.take(/[0-9a-fA-F]/) === undefined) fail(cursor, String.raw`in \u hexadecimal character escape`);
  }
}

/** Checks a number from its first digit on. */
function checkDigits(cursor: JsonCursor, place: string): void {
  if (cursor.take(/0|[1-9]\d*/) === undefined) failInNumber(cursor, place);
  if (cursor.take(/\./) !== undefined && cursor.take(/\d+/) === undefined) {
    failInNumber(cursor, 'after decimal point in numeric literal');
  }
  if (cursor.take(/[eE][+-]?/) !== undefined && cursor.take(/\d+/) === undefined) {
    failInNumber(cursor, 'in exponent of numeric literal');
  }
}

/** Go reads a blank after the end to see whether a number has ended. */
function failInNumber(cursor: JsonCursor, place: string): never {
  return refuse(cursor.peek() ?? ' ', place);
}

function fail(cursor: JsonCursor, place: string): never {
  const character = cursor.peek();
  if (character === undefined) throw new OpcodeFailure('unexpected end of JSON input');
  return refuse(character, place);
}

function refuse(character: string, place: string): never {
  throw new OpcodeFailure(`invalid character '${quoted(character)}' ${place}`);
}

/** A character as Go prints it between quotes. */
function quoted(character: string): string {
  const escape = GO_ESCAPES.get(character);
  if (escape !== undefined) return escape;
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.raw`\x${code.toString(16).padStart(2, '0')}` : character;
}
