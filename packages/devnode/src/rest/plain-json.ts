/** A value that the plain JSON writer takes: numbers are bigint where they may pass 2^53. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/**
 * algod's plain JSON: compact, members in the order given, `<`, `>`, `&` and the two Unicode line ends escaped, a newline at the end.
 * Members that are undefined are left out. Integers of any size are written in full.
 */
export function writePlainJson(value: Json): string {
  return `${compact(value)}\n`;
}

/** The same, indented by two spaces: what algod answers to `?pretty`. */
export function writePrettyJson(value: Json): string {
  return `${indented(value, '\n')}\n`;
}

function compact(value: Json): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (isList(value)) return `[${value.map(compact).join(',')}]`;
  // Not by way of lists: an answer of a dozen members would take three times as long.
  let written = '';
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member !== undefined) written += `${written === '' ? '' : ','}${text(name)}:${compact(member)}`;
  }
  return `{${written}}`;
}

function indented(value: Json, newline: string): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  const deeper = `${newline}  `;
  const parts = isList(value)
    ? value.map((member) => indented(member, deeper))
    : members(value).map(([name, member]) => `${text(name)}: ${indented(member, deeper)}`);
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}'];
  return parts.length === 0 ? open + close : open + deeper + parts.join(`,${deeper}`) + newline + close;
}

function scalar(value: null | boolean | number | bigint | string): string {
  return typeof value === 'string' ? text(value) : String(value);
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

function members(value: { readonly [name: string]: Json | undefined }): [string, Json][] {
  return Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
}

const ESCAPED = /[<>&\u2028\u2029]/g;
const MAY_NEED_ESCAPE = /[^ !#-%'-;=?-[\]-~]/;

// Stands for a byte that is no UTF-8, for which algod's writer puts the replacement character, escaped; a real one it does not escape.
const LONE_SURROGATE = /\p{Surrogate}/u;

function text(value: string): string {
  if (!MAY_NEED_ESCAPE.test(value)) return `"${value}"`;
  if (LONE_SURROGATE.test(value)) {
    const parts = value.split(LONE_SURROGATE).map((part) => text(part).slice(1, -1));
    return `"${parts.join(String.raw`\ufffd`)}"`;
  }
  return JSON.stringify(value).replaceAll(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
