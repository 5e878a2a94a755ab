import type { Field, FieldGroup } from './field-group.ts';
import type { Machine } from './machine.ts';
import type { StatePlace } from './trace-step.ts';
import type { Mode } from './environment.ts';
import type { StackType, StackValue } from './stack-value.ts';

/** An immediate that names a field. */
export interface FieldImmediate {
  readonly name: string;
  readonly kind: 'field';
  readonly group: FieldGroup;
  /** Array fields need an index, scalar fields have none. Default: scalar fields. */
  readonly takes?: 'arrays' | 'both';
  /** Set if the opcode sets the field; the word is the assembler's term for such a field. */
  readonly sets?: 'allowed' | 'settable';
}

/** Whether a field is allowed in this place of a source. */
export function takesField({ takes }: FieldImmediate, { array }: Field): boolean {
  return takes === 'both' || (array ?? false) === (takes === 'arrays');
}

/** Whether a disassembly names a field in this place. */
export function namesField(immediate: FieldImmediate, field: Field): boolean {
  return takesField(immediate, field) && (immediate.sets !== 'settable' || field.settable !== undefined);
}

/** A value that follows an opcode's byte in the program. */
export type Immediate =
  | {
      readonly name: string;
      /** `uint`: a varint; `bytes`: a varint length and the bytes; their plurals: a varint count before them. */
      readonly kind: 'uint8' | 'int8' | 'uint' | 'bytes' | 'uints' | 'byteStrings' | 'label' | 'labels';
    }
  | FieldImmediate;

/** An immediate of one byte: a number. */
export function uint8(name: string): Immediate {
  return { name, kind: 'uint8' };
}

/** An immediate of one byte: the number of a field. */
export function oneOf(name: string, group: FieldGroup, place: Pick<FieldImmediate, 'takes' | 'sets'> = {}): Immediate {
  return { name, kind: 'field', group, ...place };
}

/** The operands that follow an opcode in a program, and their position. */
export interface Operands {
  /** Position of the opcode's first byte. */
  readonly pc: number;
  /** One-byte immediates, numbers and fields; 0 if there are none. */
  readonly first: number;
  readonly second: number;
  readonly third: number;
  /** Constants given as immediates. */
  readonly constants: readonly StackValue[];
  /** Possible next instructions, as indexes into the program's instructions. */
  readonly targets: readonly number[];
}

/** A cost that grows with an argument: `base`, and `each` for every `per` bytes begun. */
export interface LengthCost {
  readonly base: number;
  readonly each: number;
  readonly per: number;
  /** The argument's depth below the top of the stack. */
  readonly depth: number;
}

/** The cost of an opcode: constant, by the length of an argument, or by the number of its first immediate. */
type Cost = number | LengthCost | { readonly byField: readonly (number | LengthCost)[] };

/** A mnemonic that stands for several opcodes, distinguished by the number of its words. */
export interface FormOf {
  readonly mnemonic: string;
  /** Set if messages name it as written; otherwise they name the chosen opcode. */
  readonly keepsName?: true;
  /** Set if messages say which form a word belongs to; where none fits, its effect on the stack counts all the same. */
  readonly isExplained?: true;
}

/** The byte that announces a second byte. */
export const PREFIX_BYTE = 0xd4;

/** One opcode from one version on. */
export interface OpcodeRow {
  readonly byte: number;
  /** The second byte, if `byte` is only a prefix. */
  readonly subByte?: number;
  readonly name: string;
  /** Default: none. */
  readonly immediates?: readonly Immediate[];
  /**
   * The types that it takes and leaves, deepest first, in algod's letters: `a` any, `i` uint64, `T` bool, `b` bytes,
   * `{32}` so many of them, `I` bigint, `K` stateKey, `N` boxName. Default `:`.
   */
  readonly stack?: string;
  /** Default 1. */
  readonly cost?: Cost;
  /** The first version with the opcode. */
  readonly since: number;
  /** What is different from a later version on. */
  readonly later?: Partial<OpcodeRow> & Pick<OpcodeRow, 'since'>;
  /** Default: every mode. */
  readonly modes?: readonly Mode[];
  /** Another mnemonic for this opcode, used with as many words as the opcode has immediates. */
  readonly formOf?: FormOf;
  /** Executes the opcode. Kinds of arguments and the cost are checked before. */
  readonly run?: (machine: Machine, operands: Operands) => void;
  /** The number of values taken according to a trace, if it differs from the number of arguments. */
  readonly pops?: (machine: Machine, operands: Operands) => number;
  /** Set if only a label makes the code after it reachable. */
  readonly endsFlow?: true;
  /** The slot that it writes. */
  readonly stores?: (machine: Machine, operands: Operands) => number | undefined;
  /** The part of an application's state that it uses. */
  readonly touches?: (machine: Machine) => StatePlace;
  /** Set if it submits inner transactions. */
  readonly submits?: true;
}

/** An opcode as it is from one version on, with defaults filled in for everything that a row may leave out. */
export interface Opcode extends Required<Omit<OpcodeRow, Rare | 'later' | 'stack'>>, Pick<OpcodeRow, Rare> {
  /** Deepest first, as `returns`. */
  readonly args: readonly StackType[];
  readonly returns: readonly StackType[];
}

type Rare = 'subByte' | 'formOf' | 'run' | 'pops' | 'endsFlow' | 'stores' | 'touches' | 'submits';

export const EVERY_MODE: readonly Mode[] = ['signature', 'application'];

/** Opcodes that exist in one mode only. */
export function onlyIn(mode: Mode, rows: readonly OpcodeRow[]): readonly OpcodeRow[] {
  return rows.map((row) => ({ ...row, modes: [mode] }));
}
