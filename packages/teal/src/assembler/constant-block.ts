import type { UnsettledCode } from './code.ts';
import { encodeHex } from '../go/hex.ts';
import { varint } from '../go/varint.ts';

/** The encoding of one kind of constants. */
export interface ConstantKind<V> {
  /** A use of the automatic block; its bytes are not known yet. */
  use(value: V): UnsettledCode;
  /** The kind's name in messages. */
  readonly noun: 'int' | 'byte';
  readonly block: 'intcblock' | 'bytecblock';
  /** The words that use the automatic block. */
  readonly words: string;
  readonly blockOpcode: number;
  readonly loadOpcode: number;
  /** The first of four opcodes without immediates. */
  readonly shortLoadOpcode: number;
  readonly pushOpcode: number;
  readonly pushName: string;
  encode(value: V): readonly number[];
  /** The value as messages print it; equal for equal values. */
  print(value: V): string;
}

export const INTS: ConstantKind<bigint> = {
  use: (value) => ({ kind: 'int', value }),
  noun: 'int',
  block: 'intcblock',
  words: 'int',
  blockOpcode: 0x20,
  loadOpcode: 0x21,
  shortLoadOpcode: 0x22,
  pushOpcode: 0x81,
  pushName: 'pushint',
  encode: varint,
  print: String,
};

export const BYTE_STRINGS: ConstantKind<Uint8Array> = {
  use: (value) => ({ kind: 'byte', value }),
  noun: 'byte',
  block: 'bytecblock',
  words: 'byte/addr/method',
  blockOpcode: 0x26,
  loadOpcode: 0x27,
  shortLoadOpcode: 0x28,
  pushOpcode: 0x80,
  pushName: 'pushbytes',
  encode: (bytes) => [...varint(bytes.length), ...bytes],
  print: encodeHex,
};

/** One byte indexes a block. */
const MAX_CONSTANTS = 256;

/** From this version on, the automatic block holds only constants used more than once, and the others are pushed. */
export const CONSTANTS_PUSHED_SINCE = 4;

interface Use<V> {
  readonly value: V;
  /** Its position in the order of first use. */
  readonly index: number;
  count: number;
}

/**
 * The constants of one kind in a program: those of the automatic block, and those known from blocks written by hand.
 */
export class Constants<V> {
  readonly kind: ConstantKind<V>;
  /** Number of blocks written by hand, in reachable code. */
  writtenBlocks = 0;
  /** The last block written by hand: its number of values, and the first index of each printed value. */
  #written = { size: 0, indexes: new Map<string, number>() };
  /** Whether a word has relied on the current block, so that another block would come too late. */
  isReliedOn = false;
  /** Uses in the order of first use, by printed value. */
  readonly #uses = new Map<string, Use<V>>();

  constructor(kind: ConstantKind<V>) {
    this.kind = kind;
  }

  /** The number of constants that a numbered load can reach here. */
  get reachable(): number {
    return this.writtenBlocks > 0 ? this.#written.size : this.#uses.size;
  }

  /** Counts a use in the automatic block; false if the block is too full for the value. */
  use(value: V): boolean {
    const key = this.kind.print(value);
    const use = this.#uses.get(key) ?? { value, index: this.#uses.size, count: 0 };
    use.count++;
    this.#uses.set(key, use);
    return use.index < MAX_CONSTANTS;
  }

  /** The bytes of a use before the block is put in order. */
  loadAsUsed(value: V): readonly number[] {
    return loadOf(this.kind, this.#uses.get(this.kind.print(value))?.index ?? 0);
  }

  noteWritten(values: readonly V[]): void {
    this.writtenBlocks++;
    // The first of equal values is the one that is loaded.
    const indexes = new Map(values.map((value, index) => [this.kind.print(value), index] as const).toReversed());
    this.#written = { size: values.length, indexes };
  }

  /** The load of a value from the last block written by hand, or the reason why there is none. */
  loadWritten(value: V): readonly number[] | string {
    const printed = this.kind.print(value);
    const index = this.#written.indexes.get(printed);
    if (index === undefined) return `value ${printed} does not appear in existing ${this.kind.block}`;
    return index < MAX_CONSTANTS ? loadOf(this.kind, index) : tooManyConstants(this.kind);
  }

  /** The automatic block for a version, and the bytes of each use. */
  settle(version: number): SettledConstants<V> {
    const uses = [...this.#uses.values()];
    const kept =
      version < CONSTANTS_PUSHED_SINCE ? uses : uses.filter(({ count }) => count > 1).sort((a, b) => b.count - a.count);
    const indexes = new Map(kept.map(({ value }, index) => [this.kind.print(value), index]));
    return {
      values: kept.map(({ value }) => value),
      codeOf: (value) => {
        const index = indexes.get(this.kind.print(value));
        return index === undefined ? pushOf(this.kind, value) : loadOf(this.kind, index);
      },
    };
  }
}

export function tooManyConstants({ noun }: Pick<ConstantKind<unknown>, 'noun'>): string {
  return `cannot have more than ${MAX_CONSTANTS} ${noun} constants`;
}

export interface SettledConstants<V> {
  readonly values: readonly V[];
  codeOf(value: V): readonly number[];
}

/** Whether an opcode loads a constant of this kind. */
export function isLoad({ loadOpcode, shortLoadOpcode }: ConstantKind<unknown>, opcode: number): boolean {
  return opcode === loadOpcode || (opcode >= shortLoadOpcode && opcode < shortLoadOpcode + 4);
}

export function pushOf<V>(kind: ConstantKind<V>, value: V): readonly number[] {
  return [kind.pushOpcode, ...kind.encode(value)];
}

function loadOf<V>({ loadOpcode, shortLoadOpcode }: ConstantKind<V>, index: number): readonly number[] {
  return index < 4 ? [shortLoadOpcode + index] : [loadOpcode, index];
}

/** A block with these values; empty if there are none. */
export function automaticBlock<V>(kind: ConstantKind<V>, values: readonly V[]): readonly number[] {
  if (values.length === 0) return [];
  return [kind.blockOpcode, ...varint(values.length), ...values.flatMap((value) => kind.encode(value))];
}
