import type { ByteText } from './byte-text.ts';
import { parseDecimal } from './number.ts';
import { goQuote } from './quote.ts';

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
/** So that no text ends the stack; algod has no bound. */
const MAX_LEVELS = 100;
const UFIXED = /^ufixed([1-9]\d*)x([1-9]\d*)$/;
const STATIC_LIST = /^([a-z\d[\](),]+)\[(0|[1-9]\d*)\]$/;

/**
 * Reads the text of a type; `level` is the number of types that contain it.
 * @throws AbiProblem where there is no such type
 */
export function parseAbiType(text: ByteText, level = 0): AbiType {
  if (level > MAX_LEVELS) throw new AbiProblem(`a type of more than ${MAX_LEVELS} levels`);
  const inner = (item: ByteText): AbiType => parseAbiType(item, level + 1);
  if (text.endsWith('[]')) return { kind: 'list', item: inner(text.slice(0, -2)), length: undefined };
  if (text.endsWith(']')) return staticList(text, inner);
  if (text.startsWith('uint')) return uint(text);
  if (text.startsWith('ufixed')) return ufixed(text);
  const plain = PLAIN.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  if (text.startsWith('(') && text.endsWith(')')) {
    return { kind: 'tuple', items: splitAbiTypes(text.slice(1, -1)).map(inner) };
  }
  throw new AbiProblem(`cannot convert the string ${goQuote(text)} to an ABI type`);
}

function staticList(text: ByteText, inner: (item: ByteText) => AbiType): AbiList {
  const [, item, length] = STATIC_LIST.exec(text) ?? [];
  if (item === undefined || length === undefined) throw new AbiProblem(`static array ill formated: ${goQuote(text)}`);
  return { kind: 'list', length: smallNumber(length), item: inner(item) };
}

function uint(text: ByteText): AbiType {
  const bits = parseDecimal(text.slice('uint'.length), MAX_UINT16);
  if (typeof bits === 'string') throw new AbiProblem(`ill formed uint type: ${goQuote(text)}`);
  return { kind: 'uint', bits: checkedBits('uint', Number(bits)) };
}

function ufixed(text: ByteText): AbiType {
  const [, bits, precision] = UFIXED.exec(text) ?? [];
  if (bits === undefined || precision === undefined) throw new AbiProblem(`ill formed ufixed type: ${goQuote(text)}`);
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
function smallNumber(digits: ByteText): number {
  const number = parseDecimal(digits, MAX_UINT16);
  if (typeof number === 'string') throw new AbiProblem(`strconv.ParseUint: parsing ${goQuote(digits)}: ${number}`);
  return Number(number);
}

/**
 * The types inside a tuple, split at commas outside inner tuples. algod first cuts out each inner tuple with the text
 * up to the next comma, and puts it back where splitting left an empty part: text directly before an inner tuple counts
 * as a separate type.
 * @throws AbiProblem if they can't be split
 */
export function splitAbiTypes(inside: ByteText): readonly ByteText[] {
  if (inside === '') return [];
  if (inside.startsWith(',') || inside.endsWith(',')) {
    throw new AbiProblem('parsing error: tuple content should not start or end with comma');
  }
  if (inside.includes(',,')) throw new AbiProblem('no consecutive commas');
  if (!isPaired(inside)) throw new AbiProblem(`unpaired parentheses: ${inside}`);
  const tuples: ByteText[] = [];
  let rest = '';
  let start = 0;
  for (let open = inside.indexOf('('); open >= 0; open = inside.indexOf('(', start)) {
    rest += inside.slice(start, open);
    const comma = inside.indexOf(',', closingParenthesis(inside, open));
    start = comma < 0 ? inside.length : comma;
    tuples.push(inside.slice(open, start));
  }
  return (rest + inside.slice(start)).split(',').map((type) => (type === '' ? (tuples.shift() ?? '') : type));
}

function isPaired(text: ByteText): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth >= 0; at++) {
    const character = text.charAt(at);
    if (character === '(') depth++;
    else if (character === ')') depth--;
  }
  return depth === 0;
}

/** The place of the parenthesis that closes the one at `open`. */
export function closingParenthesis(text: ByteText, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at;
  }
  return undefined;
}
