import { OpcodeFailure } from './program-error.ts';
import { NO_BYTES } from './stack-value.ts';
import { readSignedVarint, readVarint } from '../go/varint.ts';

/** Reads a program's bytes from left to right. Texts are made only when something is wrong, because most are never seen. */
export class ProgramReader {
  position: number;
  readonly #program: Uint8Array;

  constructor(program: Uint8Array, position: number) {
    this.#program = program;
    this.position = position;
  }

  /** The next byte; undefined at the end. */
  byte(): number | undefined {
    return this.#program[this.position++];
  }

  /** @throws OpcodeFailure with this text when there is no number */
  uint(problem: () => string): bigint {
    const read = readVarint(this.#program, this.position);
    if (typeof read === 'string') throw new OpcodeFailure(problem());
    this.position = read.end;
    return read.value;
  }

  signedVarint(problem: string): bigint {
    const read = readSignedVarint(this.#program, this.position);
    if (typeof read === 'string') throw new OpcodeFailure(problem);
    this.position = read.end;
    return read.value;
  }

  /** @throws OpcodeFailure with the first text when there is no length, with the second when there are fewer bytes */
  byteString(noLength: () => string, tooLong: (place: number) => string): Uint8Array {
    const length = this.uint(noLength);
    if (length > BigInt(this.#rest)) throw new OpcodeFailure(tooLong(this.position));
    return this.#take(Number(length));
  }

  uints(): readonly bigint[] {
    const count = this.#count('int');
    const values: bigint[] = [];
    for (let index = 0; index < count; index++) {
      if (this.#rest === 0) throw new OpcodeFailure('const int list ran past end of program');
      values.push(this.uint(() => `could not decode int const[${index}] at pc=${this.position}`));
    }
    return values;
  }

  byteStrings(): readonly Uint8Array[] {
    const count = this.#count('bytes');
    const values: Uint8Array[] = [];
    for (let index = 0; index < count; index++) {
      if (this.#rest === 0) throw new OpcodeFailure('const bytes list ran past end of program');
      const noLength = (): string => `could not decode []byte const[${index}] at pc=${this.position}`;
      values.push(this.byteString(noLength, () => 'const bytes list ran past end of program'));
    }
    return values;
  }

  /** Two bytes, counted from the end of the instruction. */
  shortTarget(problem: string): bigint {
    const offset = this.#int16();
    if (offset === undefined) throw new OpcodeFailure(problem);
    return BigInt(this.position + offset);
  }

  tableTargets(opcode: string): readonly bigint[] {
    const count = this.byte();
    if (count === undefined) throw new OpcodeFailure(`could not decode label count for ${opcode}`);
    const end = this.position + 2 * count;
    return Array.from({ length: count }, () => {
      const offset = this.#int16();
      if (offset === undefined) throw new OpcodeFailure(`could not decode labels for ${opcode}`);
      return BigInt(end + offset);
    });
  }

  get #rest(): number {
    return this.#program.length - this.position;
  }

  #take(length: number): Uint8Array {
    if (length === 0) return NO_BYTES;
    const bytes = this.#program.slice(this.position, this.position + length);
    this.position += length;
    return bytes;
  }

  #int16(): number | undefined {
    const [high, low] = this.#program.subarray(this.position, this.position + 2);
    if (high === undefined || low === undefined) return undefined;
    this.position += 2;
    return (((high << 8) | low) << 16) >> 16;
  }

  #count(noun: 'int' | 'bytes'): number {
    const count = this.uint(() => `could not decode length of ${noun} list at pc=${this.position}`);
    if (count > BigInt(this.#program.length)) throw new OpcodeFailure(`const ${noun} list with too many items`);
    return Number(count);
  }
}
