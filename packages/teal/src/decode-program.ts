import type { LengthCost, Opcode } from './machine/opcode.ts';
import { opcodeAt, opcodeSize, opcodesOf, type OpcodeTable } from './opcodes/table.ts';
import { BranchTargets } from './machine/branch-targets.ts';
import { type OpenInstruction, type ProgramSource, readImmediates } from './machine/immediates.ts';
import type { Instruction } from './machine/instruction.ts';
import { OpcodeFailure } from './machine/program-error.ts';
import type { Program, ProgramProblem } from './machine/program.ts';
import { readVarint } from './go/varint.ts';
import type { Mode } from './machine/environment.ts';
import { VARINT_BRANCHES_SINCE } from './machine/limits.ts';

/**
 * Reads a program from its first instruction to its last byte, reachable or not. It does not throw: a bad program has a
 * `problem`.
 */
export function decodeProgram(bytes: Uint8Array, mode: Mode = 'signature'): Program {
  const version = readVarint(bytes, 0);
  if (typeof version === 'string') return badProgram(bytes, mode, 'invalid version');
  const table = opcodesOf(Number(version.value));
  if (table.byName.size === 0) return badProgram(bytes, mode, `unsupported version ${version.value}`);
  return new Decoder(bytes, { version: Number(version.value), mode, table }).decode(version.end);
}

function badProgram(bytes: Uint8Array, mode: Mode, message: string): Program {
  return { bytes, mode, version: 0, instructions: [], problem: { pc: undefined, message } };
}

interface Edition {
  readonly version: number;
  readonly mode: Mode;
  readonly table: OpcodeTable;
}

const NO_CONSTANTS: Instruction['constants'] = [];
const NO_TARGETS: Instruction['targets'] = [];

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #edition: Edition;
  readonly #targets: BranchTargets;
  readonly #source: ProgramSource;
  readonly #instructions: OpenInstruction[] = [];

  constructor(bytes: Uint8Array, edition: Edition) {
    this.#bytes = bytes;
    this.#edition = edition;
    this.#targets = new BranchTargets(bytes, edition.version);
    this.#source = { bytes, targets: this.#targets };
  }

  decode(start: number): Program {
    const problem = this.#walk(start);
    const { version, mode } = this.#edition;
    if (problem === undefined) this.#resolveTargets();
    return { bytes: this.#bytes, version, mode, instructions: this.#instructions, ...(problem && { problem }) };
  }

  #walk(start: number): ProgramProblem | undefined {
    let pc = start;
    try {
      while (pc < this.#bytes.length) {
        const instruction = this.#instruction(pc);
        this.#instructions.push(instruction);
        pc = instruction.end;
        this.#targets.checkSkipped(instruction.pc + 1, pc);
      }
    } catch (error) {
      if (!(error instanceof OpcodeFailure)) throw error;
      return { pc, message: error.message };
    }
    return undefined;
  }

  #instruction(pc: number): OpenInstruction {
    this.#targets.noteStart(pc);
    const opcode = opcodeAt(this.#bytes, pc, this.#edition.table);
    const { mode, version } = this.#edition;
    if (!opcode.modes.includes(mode)) throw new OpcodeFailure(`${opcode.name} not allowed in current mode`);
    const start = pc + opcodeSize(opcode);
    const size = fixedSize(opcode, version);
    if (size !== undefined && start + size > this.#bytes.length) {
      throw new OpcodeFailure('program ends without immediate value(s)');
    }
    const instruction = openInstruction(opcode, pc, start, costAt(opcode, this.#bytes, start));
    readImmediates(instruction, this.#source);
    return instruction;
  }

  /** Makes branch targets instruction indexes. */
  #resolveTargets(): void {
    const indexes = new Uint32Array(this.#bytes.length + 1).fill(this.#instructions.length);
    for (const [index, { pc }] of this.#instructions.entries()) indexes[pc] = index;
    for (const instruction of this.#instructions) {
      if (instruction.targets.length === 0) continue;
      instruction.targets = instruction.targets.map((pc) => indexes[pc] ?? 0);
    }
  }
}

/** All instructions have the same members in the same order, so that reading them stays fast. */
function openInstruction(opcode: Opcode, pc: number, end: number, cost: number | LengthCost): OpenInstruction {
  return {
    opcode,
    pc,
    end,
    cost: typeof cost === 'number' ? cost : cost.base,
    lengthCost: typeof cost === 'number' ? undefined : cost,
    first: 0,
    second: 0,
    third: 0,
    constants: NO_CONSTANTS,
    targets: NO_TARGETS,
  };
}

/** The size of an opcode's immediates in bytes, if it does not depend on their values. */
function fixedSize({ immediates }: Opcode, version: number): number | undefined {
  let size = 0;
  for (const { kind } of immediates) {
    if (kind === 'uint8' || kind === 'int8' || kind === 'field') size += 1;
    else if (kind === 'label' && version < VARINT_BRANCHES_SINCE) size += 2;
    else return undefined;
  }
  return size;
}

function costAt({ cost, name }: Opcode, bytes: Uint8Array, start: number): number | LengthCost {
  if (typeof cost === 'number') return cost;
  const here = 'byField' in cost ? cost.byField[bytes[start] ?? 0] : cost;
  if (here === undefined) throw new OpcodeFailure(`${name} reported non-positive cost`);
  return here;
}
