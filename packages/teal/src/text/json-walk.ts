import type { JsonCursor } from './json-cursor.ts';

/** The place of an unexpected character, in Go's words. */
type JsonPlace = 'after object key' | 'after object key:value pair' | 'after array element';

/** The rules of a JSON reader, which decide how strict it is. */
export interface JsonRules {
  /** Reads a value without elements. */
  readScalar(cursor: JsonCursor): void;
  /** Checks the start of a member's name. */
  checkName(cursor: JsonCursor): void;
  fail(cursor: JsonCursor, place: JsonPlace): never;
}

interface Container {
  readonly end: '}' | ']';
  /** Whether the name of a member is being read. */
  inName: boolean;
}

/** Reads one value with everything in it. Deep nesting does not deepen the call stack. */
export function walkJson(cursor: JsonCursor, rules: JsonRules): void {
  const containers: Container[] = [];
  do {
    const opened = openContainer(cursor);
    if (opened !== undefined) containers.push(opened);
    else rules.readScalar(cursor);
    const isEmpty = opened !== undefined && cursor.peekToken() === opened.end;
    if (opened === undefined || isEmpty) closeContainers(cursor, containers, rules, isEmpty);
    if (containers.at(-1)?.inName === true) rules.checkName(cursor);
  } while (containers.length > 0);
}

function openContainer(cursor: JsonCursor): Container | undefined {
  const first = cursor.peekToken();
  if (first !== '{' && first !== '[') return undefined;
  cursor.next();
  return first === '{' ? { end: '}', inName: true } : { end: ']', inName: false };
}

/** Moves to the start of the next value, out of the containers that end here. */
function closeContainers(cursor: JsonCursor, containers: Container[], rules: JsonRules, isEmpty: boolean): void {
  let isOver = isEmpty;
  for (let inner = containers.at(-1); inner !== undefined; inner = containers.at(-1)) {
    if (!isOver && inner.inName) {
      separate(cursor, ':', 'after object key', rules);
      inner.inName = false;
      return;
    }
    if (cursor.peekToken() !== inner.end) {
      separate(cursor, ',', inner.end === '}' ? 'after object key:value pair' : 'after array element', rules);
      inner.inName = inner.end === '}';
      return;
    }
    cursor.next();
    containers.pop();
    isOver = false;
  }
}

function separate(cursor: JsonCursor, separator: string, place: JsonPlace, rules: JsonRules): void {
  if (cursor.peekToken() !== separator) rules.fail(cursor, place);
  cursor.next();
}
