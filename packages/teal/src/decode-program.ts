import type { Mode } from './machine/mode.ts';
import type { Cost, LengthCost, Opcode } from './machine/opcode.ts';
import { opcodeAt, opcodesOf, opcodeSize, type OpcodeTable } from './opcodes/table.ts';
import { BranchTargets } from './machine/branch-targets.ts';
import { readImmediates } from './machine/immediates.ts';
import type { Instruction } from './machine/instruction.ts';
import { OpcodeFailure } from './machine/program-error.ts';
import type { Program, ProgramProblem } from './machine/program.ts';
import { readVarint } from './machine/varint.ts';

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

/** The version at the start of a program; undefined if there is no number. */
export function programVersion(bytes: Uint8Array): bigint | undefined {
  const version = readVarint(bytes, 0);
  return typeof version === 'string' ? undefined : version.value;
}

function badProgram(bytes: Uint8Array, mode: Mode, message: string): Program {
  return { bytes, mode, version: 0, instructions: [], problem: { pc: undefined, message } };
}

interface Edition {
  readonly version: number;
  readonly mode: Mode;
  readonly table: OpcodeTable;
}

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #edition: Edition;
  readonly #targets: BranchTargets;
  readonly #instructions: Instruction[] = [];

  constructor(bytes: Uint8Array, edition: Edition) {
    this.#bytes = bytes;
    this.#edition = edition;
    this.#targets = new BranchTargets(bytes, edition.version);
  }

  decode(start: number): Program {
    const problem = this.#walk(start);
    const { version, mode } = this.#edition;
    const instructions = problem === undefined ? this.#resolved() : this.#instructions;
    return { bytes: this.#bytes, version, mode, instructions, ...(problem && { problem }) };
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

  #instruction(pc: number): Instruction {
    this.#targets.noteStart(pc);
    const opcode = opcodeAt(this.#bytes, pc, this.#edition.table);
    const { mode } = this.#edition;
    if (!opcode.modes.includes(mode)) throw new OpcodeFailure(`${opcode.name} not allowed in current mode`);
    const start = pc + opcodeSize(opcode);
    const size = fixedSize(opcode, this.#edition.version);
    if (size !== undefined && start + size > this.#bytes.length) {
      throw new OpcodeFailure('program ends without immediate value(s)');
    }
    const cost = costOf(opcode.cost, this.#bytes[start] ?? 0);
    if (cost === undefined) throw new OpcodeFailure(`${opcode.name} reported non-positive cost`);
    const immediates = readImmediates({ bytes: this.#bytes, opcode, pc, start, targets: this.#targets });
    return {
      opcode,
      pc,
      cost: typeof cost === 'number' ? cost : cost.base,
      lengthCost: typeof cost === 'number' ? undefined : cost,
      ...immediates,
    };
  }

  /** The instructions with their branch targets as instruction indexes. */
  #resolved(): readonly Instruction[] {
    const indexes = new Map(this.#instructions.map(({ pc }, index) => [pc, index]));
    const end = this.#instructions.length;
    return this.#instructions.map((instruction) =>
      instruction.targets.length === 0
        ? instruction
        : { ...instruction, targets: instruction.targets.map((pc) => indexes.get(pc) ?? end) },
    );
  }
}

/** The size of an opcode's immediates in bytes, if it does not depend on their values. */
function fixedSize({ immediates }: Opcode, version: number): number | undefined {
  let size = 0;
  for (const { kind } of immediates) {
    if (kind === 'uint8' || kind === 'int8' || kind === 'field') size += 1;
    else if (kind === 'label' && version < 13) size += 2;
    else return undefined;
  }
  return size;
}

function costOf(cost: Cost, field: number): number | LengthCost | undefined {
  return typeof cost === 'object' && 'byField' in cost ? cost.byField[field] : cost;
}
