import type { Opcode } from '../machine/opcode.ts';
import type { Assembly } from './assembly.ts';
import { assembleConstant } from './constant-words.ts';
import { assembleList, assemblePush, numberOfLoad } from './constant-opcodes.ts';
import { versionOf } from './directives.ts';
import { encodeImmediates, hasWords } from './immediates.ts';
import { findInstruction, type Instruction } from './instruction.ts';
import type { Token } from './token.ts';

/** Assembles one statement: a label, an instruction, or both. */
export function assembleStatement(assembly: Assembly, tokens: readonly Token[]): void {
  const version = versionOf(assembly);
  const [first, ...rest] = tokens;
  if (first === undefined) return;
  if (!first.text.endsWith(':')) assembleInstruction(assembly, version, tokens);
  else {
    setLabel(assembly, first);
    if (rest.length > 0) assembleInstruction(assembly, version, rest);
  }
}

function setLabel({ codes, labels, macros, problems, types }: Assembly, token: Token): void {
  const label = token.text.slice(0, -1);
  if (macros.has(label)) problems.error(token, `Cannot create label with same name as macro: ${label}`);
  if (labels.has(label)) problems.error(token, `duplicate label "${label}"`);
  labels.set(label, codes.length);
  types.reach();
}

function assembleInstruction(assembly: Assembly, version: number, [mnemonic, ...words]: readonly Token[]): void {
  if (mnemonic === undefined) return;
  const { problems, types } = assembly;
  const instruction = findInstruction(mnemonic, words, { version, problems });
  if (instruction === undefined) return;
  const { isDead } = types;
  types.follow(instruction, problems);
  if (instruction.isBroken) return;
  const { meaning } = instruction;
  if (typeof meaning === 'string') assembleConstant(assembly, instruction, meaning);
  else {
    if (!meaning.modes.includes('signature')) assembly.needsApplication = true;
    assembleOpcode(assembly, instruction, meaning, isDead);
  }
}

const MAX_TABLE_LABELS = 255;

function assembleOpcode(assembly: Assembly, instruction: Instruction, opcode: Opcode, isDead: boolean): void {
  const kind = opcode.immediates[0]?.kind;
  if (kind === 'label') assembleBranch(assembly, instruction, opcode);
  else if (kind === 'labels') assembleTable(assembly, instruction, opcode);
  else if (kind === 'uint' || kind === 'bytes') assemblePush(assembly, instruction);
  else if (kind === 'uints' || kind === 'byteStrings') assembleList(assembly, instruction, opcode, isDead);
  else assemblePlain(assembly, instruction, opcode);
}

function assembleBranch(assembly: Assembly, instruction: Instruction, opcode: Opcode): void {
  const { line, column } = instruction.mnemonic;
  const [label] = instruction.words;
  if (!hasWords(assembly, instruction, 1) || label === undefined) return;
  assembly.codes.push({ kind: 'branch', opcode: opcode.byte, label, line, column });
}

function assembleTable({ codes, problems }: Assembly, { mnemonic, words, name }: Instruction, opcode: Opcode): void {
  const { line, column } = mnemonic;
  const surplus = words[MAX_TABLE_LABELS];
  if (surplus === undefined) codes.push({ kind: 'table', opcode: opcode.byte, labels: words, line, column });
  else problems.error(surplus, `${name} cannot take more than ${MAX_TABLE_LABELS} labels`);
}

function assemblePlain(assembly: Assembly, instruction: Instruction, opcode: Opcode): void {
  const { mnemonic, words } = instruction;
  const special = numberOfLoad(assembly, instruction);
  if (special !== undefined) {
    if (special.length > 0) assembly.add(mnemonic, special);
    return;
  }
  const immediates = encodeImmediates(assembly, instruction, opcode);
  if (immediates === undefined) return;
  const [start = 0, end = 0] = immediates;
  const [first] = words;
  if (opcode.name === 'substring' && end < start && first !== undefined) {
    assembly.problems.error(first, 'substring end is before start');
    return;
  }
  const prefix = opcode.subByte === undefined ? [opcode.byte] : [opcode.byte, opcode.subByte];
  assembly.add(mnemonic, [...prefix, ...immediates]);
}
