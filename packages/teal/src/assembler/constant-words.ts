import { sha512_256 } from '@avm402/algorand/hash';
import { parseAddressLiteral } from './address-literal.ts';
import type { Assembly } from './assembly.ts';
import { unescape } from './byte-literal.ts';
import { byteTextOf } from './byte-text.ts';
import { readBytes, readNumber } from './constant-opcodes.ts';
import { pushOf, type Constants } from './constant-block.ts';
import { goQuote } from './go-quote.ts';
import { hasWords } from './immediates.ts';
import type { ConstantWord, Instruction } from './instruction.ts';
import { methodSignatureTrouble } from './method-signature.ts';
import { NAMED_INTS } from './named-ints.ts';
import { parseNumber } from './number.ts';
import type { Token } from './token.ts';

/** From this version on a constant of a program with a block written by hand is pushed. */
const ALWAYS_PUSHES = 4;
/** The first version that can push. */
const PUSHES = 3;

/** `int`, `byte`, `addr` and `method`. */
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
  if (mustPush(assembly, ints, word)) {
    const value = readNumber(assembly, instruction);
    if (value !== undefined) assembly.add(instruction.mnemonic, pushOf(ints.kind, value));
    return;
  }
  const value = NAMED_INTS.get(word.text) ?? parseNumber(word.text);
  if (typeof value === 'string') assembly.problems.error(word, `unable to parse ${goQuote(word.text)} as integer`);
  else place(assembly, instruction, { constants: ints, value, at: word });
}

function assembleByte(assembly: Assembly, instruction: Instruction): void {
  const { byteStrings } = assembly;
  const [word] = instruction.words;
  const pushes = word !== undefined && mustPush(assembly, byteStrings, word);
  const value = readBytes(assembly, instruction);
  if (value === undefined || word === undefined) return;
  if (pushes) assembly.add(instruction.mnemonic, pushOf(byteStrings.kind, value));
  else place(assembly, instruction, { constants: byteStrings, value, at: word });
}

function mustPush<V>({ problems, version = 1 }: Assembly, { kind, writtenBlocks }: Constants<V>, word: Token): boolean {
  if (version < ALWAYS_PUSHES || writtenBlocks === 0) return false;
  problems.warning(word, `${kind.noun} ${word.text} used with explicit ${kind.block}. must ${kind.pushName}`);
  return true;
}

interface Placed<V> {
  readonly constants: Constants<V>;
  readonly value: V;
  /** The word at which messages are. */
  readonly at: Token;
}

/** Puts a constant where `int` or `byte` of a version have it: in the automatic block, in the one written by hand, or right there. */
function place<V>(assembly: Assembly, instruction: Instruction, placed: Placed<V>): void {
  const { constants, value, at } = placed;
  if (constants.writtenBlocks < 2) return placeInBlock(assembly, instruction, placed);
  const { kind } = constants;
  if ((assembly.version ?? 1) >= PUSHES) return assembly.add(instruction.mnemonic, pushOf(kind, value));
  const where = kind.noun === 'int' ? instruction.mnemonic : at;
  const advice = kind.noun === 'int' ? 'intc' : 'bytec';
  assembly.problems.error(where, `${kind.noun} ${at.text} used with manual ${kind.block}s. Use ${advice}.`);
}

function placeInBlock<V>(assembly: Assembly, { mnemonic }: Instruction, { constants, value, at }: Placed<V>): void {
  const { kind } = constants;
  if (constants.writtenBlocks > 0) {
    const load = constants.loadWritten(value);
    if (load === undefined) {
      assembly.problems.error(at, `value ${kind.print(value)} does not appear in existing ${kind.block}`);
    } else assembly.add(mnemonic, load);
    return;
  }
  const { line, column } = mnemonic;
  if (constants.use(value)) assembly.codes.push({ ...kind.use(value), line, column });
  else {
    assembly.problems.error(at, `cannot have more than 256 ${kind.noun} constants`);
    assembly.codes.push({ kind: 'lost', noun: kind.noun, line, column });
  }
}

function assembleAddress(assembly: Assembly, instruction: Instruction): void {
  const [word] = instruction.words;
  if (!hasWords(assembly, instruction, 1) || word === undefined) return;
  const value = parseAddressLiteral(word.text);
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
  const trouble = methodSignatureTrouble(byteTextOf(Uint8Array.from(signature)));
  if (trouble !== undefined) {
    problems.warning(word, `invalid ARC-4 ABI method signature for method op: ${trouble}`);
  }
  const value = sha512_256(Uint8Array.from(signature)).slice(0, 4);
  placeInBlock(assembly, instruction, { constants: byteStrings, value, at: word });
}
