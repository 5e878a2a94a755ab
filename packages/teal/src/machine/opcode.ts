import type { FieldGroup } from './field-group.ts';
import type { Machine } from './machine.ts';
import type { Mode } from './mode.ts';
import type { Operands } from './operands.ts';
import type { StackType } from './stack-type.ts';

/** A field that follows an opcode's byte in the program. */
export interface FieldImmediate {
  readonly name: string;
  readonly kind: 'field';
  readonly group: FieldGroup;
  /** Array fields go with an index, scalar ones without. Scalar ones when left out. */
  readonly takes?: 'arrays' | 'both';
  /** The opcode sets the field; the word that the assembler has for one that can be set. */
  readonly sets?: 'allowed' | 'settable';
}

/** What follows an opcode's byte in the program. */
export type Immediate =
  | {
      readonly name: string;
      /** `uint`: a varint; `bytes`: a varint length and the bytes; their plurals: a varint count before them. */
      readonly kind: 'uint8' | 'int8' | 'uint' | 'bytes' | 'uints' | 'byteStrings' | 'label' | 'labels';
    }
  | FieldImmediate;

/** A cost that grows with an argument: `base` and `each` for every `per` bytes begun. */
export interface LengthCost {
  readonly base: number;
  readonly each: number;
  readonly per: number;
  /** How deep the argument lies under the top of the stack. */
  readonly depth: number;
}

/** What an opcode costs: always the same, by the length of an argument, or by the number of its first immediate. */
export type Cost = number | LengthCost | { readonly byField: readonly (number | LengthCost)[] };

/** A mnemonic that stands for several opcodes, by the number of its words. */
export interface FormOf {
  readonly mnemonic: string;
  /** Messages name it as it is written; otherwise as the opcode that was chosen. */
  readonly keepsName?: true;
  /** Messages say which form a word belongs to; where none fits, it counts for what is on the stack all the same. */
  readonly isExplained?: true;
}

/** One opcode as it is from one version on. A later row with the same byte replaces it. */
export interface OpcodeRow {
  readonly byte: number;
  /** The byte that follows, where `byte` is only a prefix. */
  readonly subByte?: number;
  readonly name: string;
  /** None when left out. */
  readonly immediates?: readonly Immediate[];
  /** Deepest first. None when left out. */
  readonly args?: readonly StackType[];
  /** Deepest first. None when left out. */
  readonly returns?: readonly StackType[];
  /** 1 when left out. */
  readonly cost?: Cost;
  /** The first version of this row. */
  readonly since: number;
  /** Both when left out. */
  readonly modes?: readonly Mode[];
  /** The mnemonic that stands for it as well, when it has as many words as this opcode has immediates. */
  readonly formOf?: FormOf;
  /** What it does. Kinds of arguments and cost are checked before. */
  readonly run?: (machine: Machine, operands: Operands) => void;
  /** How many values a trace says that it takes, where that is not the number of its arguments. */
  readonly pops?: (machine: Machine, operands: Operands) => number;
  /** Nothing behind it is reached, but by a label. */
  readonly endsFlow?: true;
  /** The slot that it writes. */
  readonly stores?: (machine: Machine, operands: Operands) => number | undefined;
}

/** An opcode with everything a row may leave out. */
export type Opcode = Required<Omit<OpcodeRow, Rare>> & Pick<OpcodeRow, Rare>;

type Rare = 'subByte' | 'formOf' | 'run' | 'pops' | 'endsFlow' | 'stores';
