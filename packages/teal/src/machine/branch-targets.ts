import { OpcodeFailure } from './program-error.ts';
import { readSignedVarint } from '../go/varint.ts';
import { BACK_JUMPS_SINCE, JUMPS_TO_END_SINCE, VARINT_BRANCHES_SINCE } from './limits.ts';

export interface Branch {
  readonly target: number;
  /** The position after the branch's last byte. */
  readonly end: number;
}

/** What is known of a position. */
const START = 1;
const TARGET = 2;

/** Instruction starts and branch targets, as far as the program has been read. */
export class BranchTargets {
  readonly #bytes: Uint8Array;
  readonly #version: number;
  /** One mark for each position and the end: sets of numbers would take most of the time of decoding. */
  readonly #marks: Uint8Array;
  /** The furthest target. */
  #last = 0;

  constructor(bytes: Uint8Array, version: number) {
    this.#bytes = bytes;
    this.#version = version;
    this.#marks = new Uint8Array(bytes.length + 1);
  }

  noteStart(pc: number): void {
    this.#mark(pc, START);
  }

  /** Checks that an instruction does not span the target of an earlier branch. */
  checkSkipped(from: number, end: number): void {
    for (let pc = from; pc < end && pc <= this.#last; pc++) {
      if (this.#has(pc, TARGET)) throw new OpcodeFailure(`branch target ${pc} is not an aligned instruction`);
    }
  }

  /** Reads the branch of `b` and similar opcodes, whose offset directly follows the opcode. */
  readBranch(pc: number): Branch {
    return this.#version < VARINT_BRANCHES_SINCE ? this.#shortBranch(pc) : this.#varintBranch(pc);
  }

  #shortBranch(pc: number): Branch {
    const end = pc + 3;
    return { target: this.readShortTarget(pc + 1, end), end };
  }

  /** Reads the target of a 16-bit offset, which counts from `end`. */
  readShortTarget(place: number, end: number): number {
    const offset = (((this.#bytes[place] ?? 0) << 24) >> 16) | (this.#bytes[place + 1] ?? 0);
    if (offset < 0 && this.#version < BACK_JUMPS_SINCE) {
      throw new OpcodeFailure(`negative branch offset ${offset.toString(16)}`);
    }
    return this.#checked(BigInt(end + offset), end);
  }

  /** A forward offset counts from the end of the instruction, a backward one from its start. */
  #varintBranch(pc: number): Branch {
    const read = readSignedVarint(this.#bytes, pc + 1);
    if (read === 'short') throw new OpcodeFailure('program ends without branch target');
    if (read === 'overflow') throw new OpcodeFailure('branch offset varint overflows int64');
    const { value, end } = read;
    const base = value < 0n ? pc : end;
    return { target: this.#checked(BigInt(base) + value, end), end };
  }

  #checked(place: bigint, end: number): number {
    const last = this.#version < JUMPS_TO_END_SINCE ? this.#bytes.length - 1 : this.#bytes.length;
    if (place < 0n || place > BigInt(last)) {
      // algod adds in signed 64-bit integers, so a target too far ahead comes out far behind.
      throw new OpcodeFailure(`branch target ${BigInt.asIntN(64, place)} outside of program`);
    }
    const target = Number(place);
    if (target < end && !this.#has(target, START)) {
      throw new OpcodeFailure(`back branch target ${target} is not an aligned instruction`);
    }
    this.#mark(target, TARGET);
    this.#last = Math.max(this.#last, target);
    return target;
  }

  #has(pc: number, mark: number): boolean {
    return ((this.#marks[pc] ?? 0) & mark) !== 0;
  }

  #mark(pc: number, mark: number): void {
    this.#marks[pc] = (this.#marks[pc] ?? 0) | mark;
  }
}
