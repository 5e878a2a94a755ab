import { parseDecimal } from '@avm402/teal/go';
import { GoError, goParseUint } from '../go-text.ts';

const PLAIN = ['bool', 'byte', 'address', 'string'] as const;

/** A type of ARC-4. */
export type AbiType =
  | { readonly kind: 'uint'; readonly bits: number }
  | { readonly kind: 'ufixed'; readonly bits: number; readonly precision: number }
  | { readonly kind: (typeof PLAIN)[number] }
  | AbiList
  | { readonly kind: 'tuple'; readonly items: readonly AbiType[] };

/** Items of one type: so many as its length says, or any number. */
export interface AbiList {
  readonly kind: 'list';
  readonly item: AbiType;
  readonly length: number | undefined;
}

/** The problem with a type or a value, in algod's words. */
export class AbiProblem extends Error {}

const MAX_UINT16 = 0xffffn;
const MAX_BITS = 512;
const MAX_PRECISION = 160;
// Differs from algod: shallow-types
const MAX_LEVELS = 100;
const UFIXED = /^ufixed([1-9]\d*)x([1-9]\d*)$/;
const STATIC_LIST = /^([a-z\d[\](),]+)\[(0|[1-9]\d*)\]$/;

/**
 * Reads the text of a type; `level` is the number of types that contain it.
 * @throws AbiProblem where there is no such type
 */
export function parseAbiType(text: string, level = 0): AbiType {
  if (level > MAX_LEVELS) throw new AbiProblem(`a type of more than ${MAX_LEVELS} levels`);
  const inner = (item: string): AbiType => parseAbiType(item, level + 1);
  if (text.endsWith('[]')) return { kind: 'list', item: inner(text.slice(0, -2)), length: undefined };
  if (text.endsWith(']')) return staticList(text, inner);
  if (text.startsWith('uint')) return uint(text);
  if (text.startsWith('ufixed')) return ufixed(text);
  const plain = PLAIN.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  if (text.startsWith('(') && text.endsWith(')')) {
    return { kind: 'tuple', items: tupleItems(text.slice(1, -1)).map(inner) };
  }
  throw new AbiProblem(`cannot convert the string "${text}" to an ABI type`);
}

function staticList(text: string, inner: (item: string) => AbiType): AbiList {
  const [, item, length] = STATIC_LIST.exec(text) ?? [];
  if (item === undefined || length === undefined) throw new AbiProblem(`static array ill formated: "${text}"`);
  return { kind: 'list', length: smallNumber(length), item: inner(item) };
}

function uint(text: string): AbiType {
  const bits = parseDecimal(text.slice('uint'.length), MAX_UINT16);
  if (typeof bits === 'string') throw new AbiProblem(`ill formed uint type: "${text}"`);
  return { kind: 'uint', bits: checkedBits('uint', Number(bits)) };
}

function ufixed(text: string): AbiType {
  const [, bits, precision] = UFIXED.exec(text) ?? [];
  if (bits === undefined || precision === undefined) throw new AbiProblem(`ill formed ufixed type: "${text}"`);
  const sizes = { bits: smallNumber(bits), precision: smallNumber(precision) };
  checkedBits('ufixed', sizes.bits);
  if (sizes.precision > MAX_PRECISION) throw new AbiProblem(`unsupported ufixed type precision: ${sizes.precision}`);
  return { kind: 'ufixed', ...sizes };
}

function checkedBits(name: string, bits: number): number {
  if (bits % 8 !== 0 || bits === 0 || bits > MAX_BITS)
    throw new AbiProblem(`unsupported ${name} type bitSize: ${bits}`);
  return bits;
}

/** A number of 16 bits, of which only digits are given. */
function smallNumber(digits: string): number {
  const number = goParseUint(digits);
  if (number instanceof GoError) throw new AbiProblem(number.text);
  if (number > MAX_UINT16) throw new AbiProblem(`strconv.ParseUint: parsing "${digits}": value out of range`);
  return Number(number);
}

/** The parts between commas that are outside of all brackets. */
function tupleItems(text: string): string[] {
  if (text === '') return [];
  if (text.startsWith(',') || text.endsWith(',')) {
    throw new AbiProblem('parsing error: tuple content should not start with comma');
  }
  if (text.includes(',,')) throw new AbiProblem('no consecutive commas');
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth < 0) break;
    if (text[at] !== ',' || depth > 0) continue;
    items.push(text.slice(start, at));
    start = at + 1;
  }
  if (depth !== 0) throw new AbiProblem(`unpaired parentheses: ${text}`);
  return [...items, text.slice(start)];
}
