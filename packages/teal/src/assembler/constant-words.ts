import { sha512_256 } from '@avm402/algorand/hash';
import type { Assembly } from './assembly.ts';
import { unescape } from './byte-literal.ts';
import { byteTextOf } from '../go/byte-text.ts';
import { readBytes, readNumber } from './constant-opcodes.ts';
import { type Constants, CONSTANTS_PUSHED_SINCE, pushOf, tooManyConstants } from './constant-block.ts';
import { goQuote } from '../go/quote.ts';
import { hasWords } from './immediates.ts';
import type { ConstantWord, Instruction } from './instruction.ts';
import { methodSignatureProblem } from './method-signature.ts';
import { NAMED_INTS } from './named-ints.ts';
import type { Token } from './token.ts';
import { parseAddressText } from '../go/address.ts';
import { parseNumber } from '../go/number.ts';

/** The first version with push opcodes. */
const PUSH_OPCODES_SINCE = 3;

/** Assembles `int`, `byte`, `addr` and `method`. */
export function assembleConstant(assembly: Assembly, instruction: Instruction, word: ConstantWord): void {
  switch (word) {
    case 'int':
      return assembleInt(assembly, instruction);
    case 'byte':
      return assembleByte(assembly, instruction);
    case 'addr':
      return assembleAddress(assembly, instruction);
    case 'method':
      return assembleMethod(assembly, instruction);
  }
}

function assembleInt(assembly: Assembly, instruction: Instruction): void {
  const { ints } = assembly;
  const [word] = instruction.words;
  if (!hasWords(assembly, instruction, 1) || word === undefined) return;
  const load = chooseLoad(assembly, instruction, ints, word);
  if (load === 'push') {
    const value = readNumber(assembly, instruction);
    if (value !== undefined) assembly.add(instruction.mnemonic, pushOf(ints.kind, value));
  }
  if (load !== 'block') return;
  const value = NAMED_INTS.get(word.text) ?? parseNumber(word.text);
  if (typeof value === 'string') assembly.problems.error(word, `unable to parse ${goQuote(word.text)} as integer`);
  else placeInBlock(assembly, instruction, { constants: ints, value, at: word });
}

function assembleByte(assembly: Assembly, instruction: Instruction): void {
  const { byteStrings } = assembly;
  const [word] = instruction.words;
  const load = word === undefined ? 'push' : chooseLoad(assembly, instruction, byteStrings, word);
  if (load === undefined) return;
  const value = readBytes(assembly, instruction);
  if (value === undefined || word === undefined) return;
  if (load === 'push') assembly.add(instruction.mnemonic, pushOf(byteStrings.kind, value));
  else placeInBlock(assembly, instruction, { constants: byteStrings, value, at: word });
}

/**
 * Chooses how `int` or `byte` load their constant, before the constant is read: from the automatic block or the one
 * written by hand, or by a push if several blocks make the current one unknown. Reports an error and returns undefined
 * if neither is possible.
 */
function chooseLoad<V>(
  { problems, version = 1 }: Assembly,
  { mnemonic }: Instruction,
  { kind, writtenBlocks }: Constants<V>,
  word: Token,
): 'block' | 'push' | undefined {
  const { noun, block } = kind;
  if (writtenBlocks > 0 && version >= CONSTANTS_PUSHED_SINCE) {
    problems.warning(word, `${noun} ${word.text} used with explicit ${block}. must ${kind.pushName}`);
    return 'push';
  }
  if (writtenBlocks < 2) return 'block';
  if (version >= PUSH_OPCODES_SINCE) return 'push';
  const loadName = noun === 'int' ? 'intc' : 'bytec';
  problems.error(noun === 'int' ? mnemonic : word, `${noun} ${word.text} used with manual ${block}s. Use ${loadName}.`);
  return undefined;
}

interface Placed<V> {
  readonly constants: Constants<V>;
  readonly value: V;
  /** The word that messages point at. */
  readonly at: Token;
}

/** Loads a constant from the last block written by hand, or from the automatic one if there is none. */
function placeInBlock<V>(assembly: Assembly, { mnemonic }: Instruction, { constants, value, at }: Placed<V>): void {
  const { kind } = constants;
  constants.isReliedOn = true;
  if (constants.writtenBlocks > 0) {
    const load = constants.loadWritten(value);
    if (typeof load === 'string') assembly.problems.error(at, load);
    else assembly.add(mnemonic, load);
    return;
  }
  const { line, column } = mnemonic;
  if (constants.use(value)) assembly.codes.push({ ...kind.use(value), line, column });
  else {
    assembly.problems.error(at, tooManyConstants(kind));
    assembly.codes.push({ kind: 'lost', use: kind.use(value), line, column });
  }
}

function assembleAddress(assembly: Assembly, instruction: Instruction): void {
  const [word] = instruction.words;
  if (!hasWords(assembly, instruction, 1) || word === undefined) return;
  const value = parseAddressText(word.text);
  if (typeof value === 'string') assembly.problems.error(word, value);
  else placeInBlock(assembly, instruction, { constants: assembly.byteStrings, value, at: word });
}

function assembleMethod(assembly: Assembly, instruction: Instruction): void {
  const { problems, byteStrings } = assembly;
  const [word] = instruction.words;
  if (!hasWords(assembly, instruction, 1) || word === undefined) return;
  const { text } = word;
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) {
    problems.error(word, 'unable to parse method signature');
    return;
  }
  const signature = unescape(text);
  if (typeof signature === 'string') {
    problems.error(word, signature);
    return;
  }
  const problem = methodSignatureProblem(byteTextOf(Uint8Array.from(signature)));
  if (problem !== undefined) {
    problems.warning(word, `invalid ARC-4 ABI method signature for method op: ${problem}`);
  }
  const value = sha512_256(Uint8Array.from(signature)).slice(0, 4);
  placeInBlock(assembly, instruction, { constants: byteStrings, value, at: word });
}
