/**
 * Characters that a terminal obeys or hides instead of showing, except for two invisible ones that join letters and
 * emoji.
 */
const OBEYED = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** One line of text. Whatever it contains, it can't start another line. */
export function printableLine(text: string): string {
  return text.replaceAll(/[^\S ]+/g, ' ').replaceAll(OBEYED, '');
}

/** Text of several lines. */
export function printableText(text: string): string {
  return text.replaceAll(OBEYED, '');
}

/** A value as JSON; integers beyond 2^53 are decimal strings, and characters that a terminal would obey are escaped. */
export function printableJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(
    value,
    (_name, member: unknown) => (typeof member === 'bigint' ? String(member) : member),
    indent,
  );
  return json.replaceAll(OBEYED, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** The beginning of a foreign text, without gaps that would push the rest out of sight. */
export function excerpt(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 300);
}
