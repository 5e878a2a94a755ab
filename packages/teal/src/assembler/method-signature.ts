import type { ByteText } from '../go/byte-text.ts';
import { goQuote } from '../go/quote.ts';
import { parseDecimal } from '../go/number.ts';

/** Types that only arguments can have. */
const REFERENCES = new Set([
  'account',
  'asset',
  'application',
  'txn',
  'pay',
  'keyreg',
  'acfg',
  'axfer',
  'afrz',
  'appl',
]);
const PLAIN = new Set(['byte', 'bool', 'address', 'string']);
/** The deepest nesting of tuples and arrays; algod has no bound. */
const MAX_DEPTH = 50;
const MAX_UINT16 = 0xffffn;

/** The error in a method's signature (ARC-4), in algod's words; undefined if it is right. */
export function methodSignatureProblem(signature: ByteText): ByteText | undefined {
  const open = signature.indexOf('(');
  if (open < 0) return `No parenthesis in method signature: ${goQuote(signature)}`;
  if (open === 0) return `Method signature has no name: ${goQuote(signature)}`;
  const close = closingParenthesis(signature, open);
  if (close === undefined) return `Unpaired parenthesis in method signature: ${goQuote(signature)}`;
  const types = splitTypes(signature.slice(open + 1, close));
  if (typeof types === 'string') return types;
  for (const [index, type] of types.entries()) {
    const problem = REFERENCES.has(type) ? undefined : typeProblem(type);
    if (problem !== undefined) return `Error parsing argument type at index ${index}: ${problem}`;
  }
  const result = signature.slice(close + 1);
  const problem = result === 'void' ? undefined : typeProblem(result);
  return problem === undefined ? undefined : `Error parsing return type: ${problem}`;
}

function closingParenthesis(signature: ByteText, open: number): number | undefined {
  let depth = 0;
  for (let index = open; index < signature.length; index++) {
    const character = signature.charAt(index);
    if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return index;
  }
  return undefined;
}

function isPaired(text: ByteText): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    else if (character === ')') depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/**
 * The types inside a tuple, split at commas outside inner tuples. algod first cuts out each inner tuple with the text
 * up to the next comma, and puts it back where splitting left an empty part: text directly before an inner tuple counts
 * as a separate type.
 */
function splitTypes(inside: ByteText): readonly ByteText[] | ByteText {
  if (inside === '') return [];
  if (inside.startsWith(',') || inside.endsWith(',')) {
    return 'parsing error: tuple content should not start or end with comma';
  }
  if (inside.includes(',,')) return 'no consecutive commas';
  if (!isPaired(inside)) return `unpaired parentheses: ${inside}`;
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

function typeProblem(type: ByteText, depth = 0): ByteText | undefined {
  if (PLAIN.has(type) || depth > MAX_DEPTH) return undefined;
  if (type.endsWith('[]')) return typeProblem(type.slice(0, -2), depth + 1);
  if (type.endsWith(']')) return staticArrayProblem(type, depth);
  if (type.startsWith('uint')) return uintProblem(type);
  if (type.startsWith('ufixed')) return ufixedProblem(type);
  if (type.startsWith('(') && type.endsWith(')')) return tupleProblem(type, depth);
  return `cannot convert the string ${goQuote(type)} to an ABI type`;
}

function staticArrayProblem(type: ByteText, depth: number): ByteText | undefined {
  const [, element, length] = /^([a-z\d[\](),]+)\[(0|[1-9]\d*)\]$/.exec(type) ?? [];
  if (element === undefined || length === undefined) return `static array ill formated: ${goQuote(type)}`;
  return numberProblem(length) ?? typeProblem(element, depth + 1);
}

function uintProblem(type: ByteText): ByteText | undefined {
  const bits = parseDecimal(type.slice('uint'.length), MAX_UINT16);
  return typeof bits === 'string' ? `ill formed uint type: ${goQuote(type)}` : sizeProblem('uint', Number(bits));
}

function ufixedProblem(type: ByteText): ByteText | undefined {
  const [, size, precision] = /^ufixed([1-9]\d*)x([1-9]\d*)$/.exec(type) ?? [];
  if (size === undefined || precision === undefined) return `ill formed ufixed type: ${goQuote(type)}`;
  const problem = numberProblem(size) ?? numberProblem(precision) ?? sizeProblem('ufixed', Number(size));
  if (problem !== undefined) return problem;
  const isRight = Number(precision) >= 1 && Number(precision) <= 160;
  return isRight ? undefined : `unsupported ufixed type precision: ${Number(precision)}`;
}

function sizeProblem(kind: string, bits: number): ByteText | undefined {
  return bits >= 8 && bits <= 512 && bits % 8 === 0 ? undefined : `unsupported ${kind} type bitSize: ${bits}`;
}

function numberProblem(digits: ByteText): ByteText | undefined {
  const value = parseDecimal(digits, MAX_UINT16);
  return typeof value === 'string' ? `strconv.ParseUint: parsing ${goQuote(digits)}: ${value}` : undefined;
}

function tupleProblem(type: ByteText, depth: number): ByteText | undefined {
  const types = splitTypes(type.slice(1, -1));
  if (typeof types === 'string') return types;
  for (const each of types) {
    const problem = typeProblem(each, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
