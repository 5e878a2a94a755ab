import { formatAddress } from '@avm402/algorand/address';
import { byteTextOf } from '../go/byte-text.ts';
import { encodeHex } from '../go/hex.ts';
import { goQuote } from '../go/quote.ts';
import { type FieldImmediate, type Immediate, namesField, type Opcode } from '../machine/opcode.ts';
import { opcodeAt, opcodeSize, opcodesOf } from '../opcodes/table.ts';
import { OpcodeFailure } from '../machine/program-error.ts';
import { ProgramReader } from '../machine/program-reader.ts';
import { VARINT_BRANCHES_SINCE } from '../machine/limits.ts';

/** One instruction as text. */
export interface ListedInstruction {
  readonly pc: number;
  readonly line: string;
  readonly needsApplication: boolean;
}

/** A program's instructions, and the labels of the positions that they jump to. */
export interface Listing {
  readonly instructions: readonly ListedInstruction[];
  readonly labels: ReadonlyMap<bigint, string>;
}

// Each load of a long constant shows all of it, so half a megabyte of program could have gigabytes of source.
const MAX_CHARACTERS = 128_000_000;

/** @throws OpcodeFailure */
export function readInstructions(program: Uint8Array, { start, version }: { start: number; version: number }): Listing {
  return new Lister(program, version).list(start);
}

class Lister {
  readonly #program: Uint8Array;
  readonly #version: number;
  readonly #reader: ProgramReader;
  readonly #labels = new Map<bigint, string>();
  /** The constants of the latest blocks. */
  #intBlock: readonly bigint[] = [];
  #byteBlock: readonly Uint8Array[] = [];
  /** The byte constants that were loaded, as comments show them. */
  #shownBytes: string[] = [];

  constructor(program: Uint8Array, version: number) {
    this.#program = program;
    this.#version = version;
    this.#reader = new ProgramReader(program, 0);
  }

  list(start: number): Listing {
    const instructions: ListedInstruction[] = [];
    const opcodes = opcodesOf(this.#version);
    let characters = 0;
    this.#reader.position = start;
    while (this.#reader.position < this.#program.length) {
      const pc = this.#reader.position;
      const opcode = opcodeAt(this.#program, pc, opcodes);
      this.#reader.position += opcodeSize(opcode);
      if (opcode.name === 'proto') this.#label(BigInt(pc));
      const line = this.#line(opcode, pc);
      characters += line.length;
      if (characters > MAX_CHARACTERS) {
        throw new OpcodeFailure(`the source would be longer than ${MAX_CHARACTERS} characters`);
      }
      instructions.push({ pc, line, needsApplication: !opcode.modes.includes('signature') });
    }
    return { instructions, labels: this.#labels };
  }

  #line(opcode: Opcode, pc: number): string {
    const words = opcode.immediates.flatMap((immediate) => this.#words(opcode, immediate, pc));
    const hasList = opcode.immediates.some(
      ({ kind }) => kind === 'uints' || kind === 'byteStrings' || kind === 'labels',
    );
    const line = hasList || words.length > 0 ? `${opcode.name} ${words.join(' ')}` : opcode.name;
    const comment = this.#constantOf(opcode.name, words[0]);
    return comment === undefined ? line : `${line} // ${comment}`;
  }

  #words({ name }: Opcode, immediate: Immediate, pc: number): readonly string[] {
    const { kind } = immediate;
    if (kind === 'field') return [this.#field(name, immediate)];
    if (kind === 'uint8') return [String(this.#immediateByte(name, immediate))];
    if (kind === 'int8') return [String((this.#immediateByte(name, immediate) << 24) >> 24)];
    if (kind === 'label') return [this.#label(this.#branchTarget(name, pc))];
    if (kind === 'labels') return this.#reader.tableTargets(name).map((target) => this.#label(target));
    if (kind === 'uint')
      return [String(this.#reader.uint(() => `could not decode immediate ${immediate.name} for ${name}`))];
    if (kind === 'uints') return this.#ints(name);
    if (kind === 'byteStrings') return this.#byteStrings(name);
    const problem = `could not decode immediate ${immediate.name} for ${name}`;
    const bytes = this.#reader.byteString(
      () => problem,
      () => problem,
    );
    return [`${encodeHex(bytes)} // ${readableConstant(bytes)}`];
  }

  #ints(name: string): readonly string[] {
    const ints = this.#reader.uints();
    if (name === 'intcblock') this.#intBlock = ints;
    return ints.map(String);
  }

  #byteStrings(name: string): readonly string[] {
    const byteStrings = this.#reader.byteStrings();
    if (name === 'bytecblock') {
      this.#byteBlock = byteStrings;
      this.#shownBytes = [];
    }
    return byteStrings.map(encodeHex);
  }

  #immediateByte(opcode: string, { name }: Immediate): number {
    const byte = this.#reader.byte();
    if (byte === undefined) throw new OpcodeFailure(`program end while reading immediate ${name} for ${opcode}`);
    return byte;
  }

  #field(opcode: string, immediate: FieldImmediate): string {
    const code = this.#immediateByte(opcode, immediate);
    const field = immediate.group.fieldOf(code);
    if (field !== undefined && namesField(immediate, field)) return field.name;
    throw new OpcodeFailure(`invalid immediate ${immediate.name} for ${opcode}: ${code}`);
  }

  #branchTarget(opcode: string, pc: number): bigint {
    if (this.#version < VARINT_BRANCHES_SINCE)
      return this.#reader.shortTarget(`program end while reading label for ${opcode}`);
    const offset = this.#reader.signedVarint(`could not decode label for ${opcode}`);
    return offset < 0n ? BigInt(pc) + offset : BigInt(this.#reader.position) + offset;
  }

  #label(target: bigint): string {
    const label = this.#labels.get(target) ?? `label${this.#labels.size + 1}`;
    this.#labels.set(target, label);
    return label;
  }

  /** The value that a load of a constant gives, if the block that holds it is known. */
  #constantOf(name: string, word: string | undefined): string | undefined {
    const [, kind, short] = /^(intc|bytec)(?:_(\d))?$/.exec(name) ?? [];
    if (kind === undefined) return undefined;
    const index = Number(short ?? word);
    if (kind === 'intc') return this.#intBlock[index]?.toString();
    const bytes = this.#byteBlock[index];
    if (bytes === undefined) return undefined;
    return (this.#shownBytes[index] ??= readableConstant(bytes));
  }
}

const ADDRESS_BYTES = 32;

/** Bytes as a comment shows them: an address, a text, or hexadecimal digits. */
function readableConstant(bytes: Uint8Array): string {
  if (bytes.length === ADDRESS_BYTES) return `addr ${formatAddress(bytes)}`;
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isText ? goQuote(byteTextOf(bytes)) : encodeHex(bytes);
}
