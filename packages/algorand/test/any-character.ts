import * as fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

/**
 * Any character that UTF-8 can write: the unit of a string. fast-check's own, `binary`, takes a second to make, because it
 * is listed whole to tell whether strings such as `__proto__` consist of it.
 */
export const anyCharacter = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count), indexOf);

function indexOf(character: unknown): number {
  const point = String(character).codePointAt(0) ?? 0;
  if (character !== String.fromCodePoint(point)) throw new Error('not one character');
  return point < SURROGATES.from ? point : point - SURROGATES.count;
}
