import { OpcodeFailure } from './program-error.ts';
import { readSignedVarint } from './varint.ts';

/** The first version with backward branches. */
const BACKWARD_SINCE = 4;
/** The first version in which a branch may go to the end of the program. */
const END_SINCE = 2;
/** The first version with offsets of variable length. */
const VARINT_SINCE = 13;

export interface Branch {
  readonly target: number;
  /** The position after the branch's last byte. */
  readonly end: number;
}

/** Instruction starts and branch targets, as far as the program has been read. */
export class BranchTargets {
  readonly #bytes: Uint8Array;
  readonly #version: number;
  readonly #starts = new Set<number>();
  readonly #targets = new Set<number>();

  constructor(bytes: Uint8Array, version: number) {
    this.#bytes = bytes;
    this.#version = version;
  }

  noteStart(pc: number): void {
    this.#starts.add(pc);
  }

  /** Checks that an instruction does not span the target of an earlier branch. */
  checkSkipped(from: number, end: number): void {
    for (let pc = from; pc < end && this.#targets.size > 0; pc++) {
      if (this.#targets.has(pc)) throw new OpcodeFailure(`branch target ${pc} is not an aligned instruction`);
    }
  }

  /** Reads the branch of `b` and similar opcodes, whose offset directly follows the opcode. */
  readBranch(pc: number): Branch {
    return this.#version < VARINT_SINCE ? this.#shortBranch(pc) : this.#varintBranch(pc);
  }

  #shortBranch(pc: number): Branch {
    const end = pc + 3;
    return { target: this.readShortTarget(pc + 1, end), end };
  }

  /** Reads the target of a 16-bit offset, which counts from `end`. */
  readShortTarget(place: number, end: number): number {
    const offset = (((this.#bytes[place] ?? 0) << 24) >> 16) | (this.#bytes[place + 1] ?? 0);
    if (offset < 0 && this.#version < BACKWARD_SINCE) {
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
    const last = this.#version < END_SINCE ? this.#bytes.length - 1 : this.#bytes.length;
    if (place < 0n || place > BigInt(last)) {
      // algod adds in signed 64-bit integers, so a target too far ahead comes out far behind.
      throw new OpcodeFailure(`branch target ${BigInt.asIntN(64, place)} outside of program`);
    }
    const target = Number(place);
    if (target < end && !this.#starts.has(target)) {
      throw new OpcodeFailure(`back branch target ${target} is not an aligned instruction`);
    }
    this.#targets.add(target);
    return target;
  }
}
