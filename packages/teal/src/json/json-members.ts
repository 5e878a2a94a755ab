import { OpcodeFailure } from '../machine/program-error.ts';
import { JsonCursor } from './json-cursor.ts';
import { readLaxString } from './json-string.ts';

const INVALID = 'error while parsing JSON text, invalid json text';
const LITERAL = /true|false|null/;
const NUMBER_CHARACTERS = /[0-9+\-.eE]+/;
/** A sign alone also counts as a number. */
const NUMBER = /^[+-]$|^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

interface Container {
  readonly end: '}' | ']';
  /** Whether the name of a member is being read. */
  inName: boolean;
}

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
    skipValue(cursor);
    members.set(name, isNull ? '' : cursor.text.slice(place, cursor.place));
  }
  return members;
}

function expect(cursor: JsonCursor, character: string): void {
  if (cursor.peekToken() !== character) invalid();
  cursor.next();
}

/** Moves past one value and everything in it. Deep nesting does not deepen the call stack. */
function skipValue(cursor: JsonCursor): void {
  const containers: Container[] = [];
  do {
    const opened = openContainer(cursor);
    if (opened !== undefined) containers.push(opened);
    else skipScalar(cursor);
    const isEmpty = opened !== undefined && cursor.peekToken() === opened.end;
    if (opened === undefined || isEmpty) closeContainers(cursor, containers, isEmpty);
  } while (containers.length > 0);
}

function openContainer(cursor: JsonCursor): Container | undefined {
  const first = cursor.peekToken();
  if (first !== '{' && first !== '[') return undefined;
  cursor.next();
  return first === '{' ? { end: '}', inName: true } : { end: ']', inName: false };
}

/** Moves to the start of the next value, out of the containers that end here. */
function closeContainers(cursor: JsonCursor, containers: Container[], isEmpty: boolean): void {
  let isOver = isEmpty;
  for (let inner = containers.at(-1); inner !== undefined; inner = containers.at(-1)) {
    if (!isOver && inner.inName) {
      expect(cursor, ':');
      inner.inName = false;
      return;
    }
    if (cursor.peekToken() !== inner.end) {
      expect(cursor, ',');
      inner.inName = inner.end === '}';
      return;
    }
    cursor.next();
    containers.pop();
    isOver = false;
  }
}

/** Errors inside a value appear only when the value is read. */
function skipScalar(cursor: JsonCursor): void {
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
