import type { Field } from '../machine/field-group.ts';
import { parseByteLiteral } from './byte-literal.ts';
import type { Instruction } from './instruction.ts';
import type { KnownTypes } from './known-types.ts';
import {
  ANY,
  BYTES,
  byteStrings,
  isSame,
  join,
  kindOf,
  numbers,
  UINT64,
  type ValueType,
  valueTypeOf,
} from './value-type.ts';
import { takesField } from '../machine/opcode.ts';
import { parseDecimal, parseSmall } from '../go/number.ts';

/** The values that an instruction takes from the stack and leaves there, deepest first. */
export interface Effect {
  readonly args: readonly ValueType[];
  readonly returns: readonly ValueType[];
}

/**
 * An effect more precise than the declared one; a text if the instruction always fails; undefined if nothing more
 * precise is known.
 */
export type Refinement = (known: KnownTypes, instruction: Instruction, declared: Effect) => Effect | string | undefined;

const UINT8 = { low: 0, high: 255 };
const INT8 = { low: -128, high: 127 };

/** Refinements by opcode name. */
const REFINEMENTS: ReadonlyMap<string, Refinement> = new Map<string, Refinement>([
  ['itxn_field', takesValueOfField],
  ['int', pushesNumbers],
  ['byte', pushesLiteral],
  ['pushints', (_, { words }) => pushes(words.map(() => UINT64))],
  ['pushbytess', (_, { words }) => pushes(words.map(() => BYTES))],
  ['bzero', (_, __, { returns }) => ({ args: [numbers(0n, 4096n)], returns })],
  ['b+', (_, __, { args }) => ({ args, returns: [byteStrings(0n, 65n)] })],
  ['b*', (_, __, { args }) => ({ args, returns: [byteStrings(0n, 128n)] })],
  ['==', takesAlike],
  ['!=', takesAlike],
  ['dup', (known) => ({ args: [ANY], returns: [known.peek(0), known.peek(0)] })],
  ['dup2', (known) => ({ args: anys(2), returns: [known.peek(1), known.peek(0), known.peek(1), known.peek(0)] })],
  ['swap', (known) => ({ args: anys(2), returns: [known.peek(0), known.peek(1)] })],
  ['select', (known, _, { args }) => ({ args, returns: [join(known.peek(2), known.peek(1))] })],
  ['setbit', (known, _, { args }) => ({ args, returns: [known.peek(2)] })],
  ['dig', withCount(digs)],
  ['cover', withCount(covers)],
  ['uncover', withCount(uncovers)],
  ['bury', withCount(buries)],
  ['popn', withCount((_, n) => ({ args: anys(n), returns: [] }))],
  ['dupn', withCount(duplicates)],
  ['match', (_, { words }) => ({ args: anys(words.length + 1), returns: [] })],
  ['load', withCount((known, n) => pushes([known.scratch[n] ?? ANY]))],
  ['store', withCount(stores)],
  ['loads', loadsByIndex],
  ['stores', storesByIndex],
  ['proto', declaresFrame],
  ['frame_dig', digsFrame],
  ['frame_bury', buriesInFrame],
]);

/** The refinement for an instruction. An instruction that reads a field pushes a value of the field's type. */
export function refinementOf({ meaning }: Instruction): Refinement | undefined {
  if (typeof meaning === 'string') return REFINEMENTS.get(meaning);
  const readsField = meaning.immediates.some((immediate) => immediate.kind === 'field' && immediate.sets === undefined);
  return REFINEMENTS.get(meaning.name) ?? (readsField ? pushesField : undefined);
}

function pushes(returns: readonly ValueType[]): Effect {
  return { args: [], returns };
}

function anys(count: number): ValueType[] {
  return Array.from({ length: count }, () => ANY);
}

/** The top `count` values, deepest first; undefined if fewer are known. */
function top({ stack }: KnownTypes, count: number): readonly ValueType[] | undefined {
  return count > stack.length ? undefined : stack.slice(stack.length - count);
}

/** A refinement that needs the number in the first word. */
function withCount(
  refine: (known: KnownTypes, count: number, declared: Effect) => Effect | string | undefined,
): Refinement {
  return (known, { words: [word] }, declared) => {
    const count = word === undefined ? undefined : parseSmall(word.text, UINT8);
    return count === undefined ? undefined : refine(known, count, declared);
  };
}

function fieldOf({ meaning, words }: Instruction): Field | undefined {
  if (typeof meaning === 'string') return undefined;
  for (const [index, immediate] of meaning.immediates.entries()) {
    const word = words[index];
    if (immediate.kind !== 'field' || word === undefined) continue;
    const field = immediate.group.fieldNamed(word.text);
    return field !== undefined && takesField(immediate, field) ? field : undefined;
  }
  return undefined;
}

function pushesField(_: KnownTypes, instruction: Instruction, { args, returns }: Effect): Effect | undefined {
  const type = fieldOf(instruction)?.type;
  return type === undefined ? undefined : { args, returns: [valueTypeOf(type), ...returns.slice(1)] };
}

function takesValueOfField(_: KnownTypes, instruction: Instruction, { returns }: Effect): Effect | undefined {
  const type = fieldOf(instruction)?.type;
  return type === undefined ? undefined : { args: [valueTypeOf(type)], returns };
}

/** Pushes one number per word; decimal numbers are known exactly. */
function pushesNumbers(_: KnownTypes, { words }: Instruction): Effect {
  return pushes(
    words.map(({ text }) => {
      const value = parseDecimal(text);
      return typeof value === 'bigint' ? numbers(value, value) : UINT64;
    }),
  );
}

function pushesLiteral(_: KnownTypes, { words: [word, next] }: Instruction): Effect | undefined {
  if (word === undefined) return undefined;
  const literal = parseByteLiteral(word, next);
  const length = 'bytes' in literal ? BigInt(literal.bytes.length) : 0n;
  return pushes([byteStrings(length, length)]);
}

function takesAlike(known: KnownTypes, _: Instruction, { returns }: Effect): Effect {
  const kind = kindOf(known.peek(0));
  return { args: [kind, kind], returns };
}

function digs(known: KnownTypes, n: number): Effect {
  const values = top(known, n + 1);
  return { args: anys(n + 1), returns: values === undefined ? anys(n + 2) : [...values, values[0] ?? ANY] };
}

function covers(known: KnownTypes, n: number): Effect {
  const values = top(known, n + 1);
  return { args: anys(n + 1), returns: values === undefined ? anys(n + 1) : [known.peek(0), ...values.slice(0, n)] };
}

function uncovers(known: KnownTypes, n: number): Effect {
  const values = top(known, n + 1);
  return { args: anys(n + 1), returns: values === undefined ? anys(n + 1) : [...values.slice(1), known.peek(n)] };
}

function buries(known: KnownTypes, n: number, declared: Effect): Effect | string {
  if (n === 0) return 'bury 0 always fails';
  const values = top(known, n + 1);
  if (values !== undefined) return { args: anys(n + 1), returns: [known.peek(0), ...values.slice(1, n)] };
  // Below the known values nothing changes; if there is nothing below, the instruction asks for too much.
  return known.isBottomless ? declared : { args: anys(n + 1), returns: [] };
}

function duplicates(known: KnownTypes, n: number): Effect | undefined {
  if (known.stack.length === 0) return undefined;
  return { args: [ANY], returns: Array.from({ length: n + 1 }, () => known.peek(0)) };
}

function stores(known: KnownTypes, slot: number, declared: Effect): Effect {
  if (known.stack.length > 0) known.scratch[slot] = known.peek(0);
  return declared;
}

/** The slot that a value certainly names. */
function slotOf({ kind, low, high }: ValueType): number | undefined {
  return kind === 'uint64' && low === high && low < 256n ? Number(low) : undefined;
}

function loadsByIndex(known: KnownTypes, _: Instruction, { args }: Effect): Effect | undefined {
  if (known.stack.length === 0) return undefined;
  const slot = slotOf(known.peek(0));
  const [first = ANY] = known.scratch;
  const common = known.scratch.every((type) => isSame(type, first)) ? first : ANY;
  return { args, returns: [slot === undefined ? common : (known.scratch[slot] ?? ANY)] };
}

function storesByIndex(known: KnownTypes, _: Instruction, declared: Effect): Effect {
  if (known.stack.length === 0) return declared;
  const slot = slotOf(known.peek(1));
  const value = known.peek(0);
  if (slot === undefined) known.scratch = known.scratch.map((type) => join(type, value));
  else known.scratch[slot] = value;
  return declared;
}

function declaresFrame(known: KnownTypes, { words }: Instruction): Effect | string | undefined {
  const [args, returns] = words.map(({ text }) => parseSmall(text, UINT8));
  if (args === undefined || returns === undefined) return undefined;
  if (known.stack.length > 0 || !known.isBottomless) return 'proto must be unreachable from previous PC';
  known.stack = anys(args);
  known.frame = args;
  return undefined;
}

/** The index of a frame's value on the known stack, or the reason why there is none. */
function placeInFrame(
  known: KnownTypes,
  { mnemonic, words: [word] }: Instruction,
  height: number,
): number | string | undefined {
  const index = word === undefined ? undefined : parseSmall(word.text, INT8);
  const { frame } = known;
  if (index === undefined || frame === undefined) return undefined;
  const place = frame + index;
  if (place < 0) return `${mnemonic.text} ${index} in sub with ${frame} args`;
  return place < height ? place : `${mnemonic.text} above stack`;
}

function digsFrame(known: KnownTypes, instruction: Instruction): Effect | string {
  const place = placeInFrame(known, instruction, known.stack.length);
  if (typeof place === 'string') return place;
  return pushes([place === undefined ? ANY : (known.stack[place] ?? ANY)]);
}

function buriesInFrame(known: KnownTypes, instruction: Instruction, declared: Effect): Effect | string {
  const place = placeInFrame(known, instruction, known.stack.length - 1);
  if (typeof place === 'string') return place;
  const value = known.peek(0);
  if (place === undefined) known.stack = known.stack.map((type) => (isSame(type, value) ? type : ANY));
  else known.stack[place] = value;
  return declared;
}
