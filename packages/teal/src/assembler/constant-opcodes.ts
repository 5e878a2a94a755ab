import type { Opcode } from '../machine/opcode.ts';
import type { Assembly } from './assembly.ts';
import { LiteralProblem, parseByteLiteral } from './byte-literal.ts';
import type { ByteText } from '../go/byte-text.ts';
import { BYTE_STRINGS, type Constants, INTS, pushOf } from './constant-block.ts';
import { goQuote } from '../go/quote.ts';
import { hasWords } from './immediates.ts';
import type { Instruction } from './instruction.ts';
import { endOf } from './token.ts';
import { varint } from '../go/varint.ts';
import { MAX_BYTES } from '../machine/limits.ts';
import { parseNumber } from '../go/number.ts';

/** `pushint` and `pushbytes`. */
export function assemblePush(assembly: Assembly, instruction: Instruction): void {
  const { mnemonic, name } = instruction;
  if (name === 'pushint') {
    const value = readNumber(assembly, instruction);
    if (value !== undefined) assembly.add(mnemonic, pushOf(INTS, value));
    return;
  }
  const bytes = readBytes(assembly, instruction);
  if (bytes !== undefined) assembly.add(mnemonic, pushOf(BYTE_STRINGS, bytes));
}

/** The only number of an instruction. */
export function readNumber(assembly: Assembly, instruction: Instruction): bigint | undefined {
  const [word] = instruction.words;
  if (!hasWords(assembly, instruction, 1) || word === undefined) return undefined;
  const value = parseNumber(word.text);
  if (typeof value === 'bigint') return value;
  assembly.problems.error(word, `unable to parse ${goQuote(word.text)} as integer`);
  return undefined;
}

/** The only byte string of an instruction. */
export function readBytes({ problems }: Assembly, { mnemonic, words, name }: Instruction): Uint8Array | undefined {
  const [word, next] = words;
  if (word === undefined) {
    problems.error(endOf(mnemonic), `${name} needs byte literal argument`);
    return undefined;
  }
  const literal = parseByteLiteral(word, next);
  if (literal instanceof LiteralProblem) {
    problems.error(literal.at, `${name} ${literal.text}`);
    return undefined;
  }
  const surplus = words[literal.words];
  if (surplus !== undefined) {
    problems.error(surplus, `${name} with extraneous argument`);
    return undefined;
  }
  const { length } = literal.bytes;
  if (length <= MAX_BYTES) return literal.bytes;
  problems.error(word, `${name} value is too big (${length} bytes, limit ${MAX_BYTES})`);
  return undefined;
}

/** Assembles `intcblock`, `pushints` and similar opcodes. */
export function assembleList(assembly: Assembly, instruction: Instruction, opcode: Opcode, isDead: boolean): void {
  if (opcode.immediates[0]?.kind === 'uints') {
    const values = readNumbers(assembly, instruction);
    assembleValues(assembly, instruction, { opcode, isDead, values, constants: assembly.ints });
  } else {
    const values = readByteStrings(assembly, instruction);
    if (values === undefined) return;
    assembleValues(assembly, instruction, { opcode, isDead, values, constants: assembly.byteStrings });
  }
}

interface List<V> {
  readonly opcode: Opcode;
  readonly isDead: boolean;
  readonly values: readonly V[];
  readonly constants: Constants<V>;
}

function assembleValues<V>(
  assembly: Assembly,
  { mnemonic }: Instruction,
  { opcode, isDead, values, constants }: List<V>,
): void {
  const { kind } = constants;
  if (opcode.name === kind.block && !isDead) {
    if (constants.isReliedOn) assembly.problems.error(mnemonic, `${kind.block} following ${kind.words}`);
    else constants.noteWritten(values);
  }
  const encoded = [opcode.byte, ...varint(values.length)];
  for (const value of values) for (const byte of kind.encode(value)) encoded.push(byte);
  assembly.add(mnemonic, encoded);
}

/** Reads a list of numbers. A wrong number keeps its place in the list. */
function readNumbers({ problems }: Assembly, { words }: Instruction): readonly bigint[] {
  return words.map((word) => {
    const value = parseNumber(word.text);
    if (typeof value === 'bigint') return value;
    problems.error(word, `strconv.ParseUint: parsing ${goQuote(word.text)}: ${value}`);
    return 0n;
  });
}

/** Reads a list of byte strings; undefined if one is wrong, because nothing after it is read. */
function readByteStrings({ problems }: Assembly, { words, name }: Instruction): readonly Uint8Array[] | undefined {
  const values: Uint8Array[] = [];
  for (let index = 0; index < words.length;) {
    const word = words[index];
    if (word === undefined) break;
    const literal = parseByteLiteral(word, words[index + 1]);
    if (literal instanceof LiteralProblem) {
      problems.error(word, `${name} ${literal.text}`);
      return undefined;
    }
    const { length } = literal.bytes;
    if (length > MAX_BYTES) {
      const limit = `arg ${values.length} is too big (${length} bytes, limit ${MAX_BYTES})`;
      problems.error(word, `${name} ${limit}`);
      return undefined;
    }
    values.push(literal.bytes);
    index += literal.words;
  }
  return values;
}

/** Opcodes with short forms for the numbers 0 to 3, and with messages of their own. */
const NUMBERED: ReadonlyMap<string, { readonly noun: ByteText; readonly opcode: number; readonly short: number }> =
  new Map([
    ['arg', { noun: 'argument', opcode: 0x2c, short: 0x2d }],
    ['intc', { noun: 'constant', opcode: INTS.loadOpcode, short: INTS.shortLoadOpcode }],
    ['bytec', { noun: 'constant', opcode: BYTE_STRINGS.loadOpcode, short: BYTE_STRINGS.shortLoadOpcode }],
  ]);

/** The bytes of `arg`, `intc` and `bytec`: empty if they have a wrong number of words, undefined for other opcodes. */
export function numberOfLoad(assembly: Assembly, instruction: Instruction): readonly number[] | undefined {
  const { name, words } = instruction;
  const numbered = NUMBERED.get(name);
  if (numbered === undefined) return undefined;
  const [word] = words;
  if (!hasWords(assembly, instruction, 1) || word === undefined) return [];
  const value = parseNumber(word.text);
  const problem =
    typeof value === 'string'
      ? `unable to parse ${numbered.noun} ${goQuote(word.text)} as integer`
      : value > 255n
        ? `${numbered.noun} beyond 255: ${value}`
        : undefinedConstant(assembly, name, Number(value));
  if (problem !== undefined) {
    assembly.problems.error(word, problem);
    return [];
  }
  const index = Number(value);
  return index < 4 ? [numbered.short + index] : [numbered.opcode, index];
}

function undefinedConstant({ ints, byteStrings }: Assembly, name: string, index: number): ByteText | undefined {
  const reachable = name === 'intc' ? ints.reachable : name === 'bytec' ? byteStrings.reachable : Infinity;
  return index < reachable ? undefined : `${name} ${index} is not defined`;
}
