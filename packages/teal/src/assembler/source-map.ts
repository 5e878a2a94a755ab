import type { Place } from './token.ts';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A source map, version 3. Its "columns" are the bytes of the program. */
export interface SourceMap {
  readonly version: 3;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/** The source position of an instruction. */
export interface Origin extends Place {
  /** Position of its first byte. */
  readonly pc: number;
}

/** The mappings of instructions, in the order of the program. */
export function mappingsOf(origins: readonly Origin[]): string {
  let mappings = '';
  let at = 0;
  let line = 0;
  let column = 0;
  for (const origin of origins) {
    mappings += ';'.repeat(origin.pc - at);
    mappings += vlq(0) + vlq(0) + vlq(origin.line - 1 - line) + vlq(origin.column - column);
    at = origin.pc;
    line = origin.line - 1;
    ({ column } = origin);
  }
  return mappings;
}

/** Five bits per character, lowest first; the lowest bit of all is the sign. */
function vlq(value: number): string {
  let rest = value < 0 ? -2 * value + 1 : 2 * value;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>= 5;
    text += BASE64.charAt(rest > 0 ? digit | 32 : digit);
  } while (rest > 0);
  return text;
}

/** The instructions in mappings that `mappingsOf` wrote. */
export function originsOf(mappings: string): readonly Origin[] {
  let line = 1;
  let column = 0;
  return mappings.split(';').flatMap((entry, pc) => {
    const [, , lines, columns] = readVlq(entry);
    if (lines === undefined || columns === undefined) return [];
    line += lines;
    column += columns;
    return [{ pc, line, column }];
  });
}

function readVlq(text: string): readonly number[] {
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of text) {
    const digit = BASE64.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    values.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return values;
}
