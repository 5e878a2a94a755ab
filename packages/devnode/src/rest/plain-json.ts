import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { isAllZero } from '../codec/bytes.ts';

/** A value for the plain JSON writer. Numbers that may exceed 2^53 are bigint. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** Bytes in base64; absent if all are zero. */
export function bytesJson(bytes: Uint8Array): string | undefined {
  return isAllZero(bytes) ? undefined : encodeBase64(bytes);
}

/** An address; absent if it is the zero address. */
export function addressJson(address: Uint8Array): string | undefined {
  return isAllZero(address) ? undefined : formatAddress(address);
}

/**
 * Writes algod's plain JSON: compact, members in the given order, `<`, `>`, `&` and the two Unicode line ends escaped,
 * a newline at the end. Undefined members are left out. Integers of any size are written in full.
 */
export function writePlainJson(value: Json): string {
  return `${compact(value)}\n`;
}

/** The same, indented by two spaces, as algod answers to `?pretty`. */
export function writePrettyJson(value: Json): string {
  return `${indented(value, '\n')}\n`;
}

function compact(value: Json): string {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (isList(value)) return `[${value.map(compact).join(',')}]`;
  // Without intermediate lists, which would make an answer of a dozen members take three times as long.
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

// Stands for a byte that is not UTF-8. algod writes it as an escaped replacement character, but a real one unescaped.
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
