import * as fc from 'fast-check';
import type { Immediate } from '../src/machine/opcode.ts';
import type { StackType } from '../src/machine/stack-value.ts';
import { LATEST_VERSION, OPCODES } from '../src/opcodes/table.ts';

const SIGNATURE_OPCODES = OPCODES.filter(({ modes, since }) => modes.includes('signature') && since <= LATEST_VERSION);

/** Varints of one byte: small counts and lengths make programs that go on. */
const small = fc.integer({ min: 0, max: 6 });
const byteString = fc.uint8Array({ maxLength: 6 }).map((bytes) => [bytes.length, ...bytes]);

const IMMEDIATES: Readonly<Record<Immediate['kind'], fc.Arbitrary<readonly number[]>>> = {
  uint8: small.map((byte) => [byte]),
  int8: fc.integer({ min: -3, max: 3 }).map((byte) => [byte & 0xff]),
  field: fc.integer({ min: 0, max: 70 }).map((byte) => [byte]),
  uint: fc.integer({ min: 0, max: 0x7f }).map((byte) => [byte]),
  bytes: byteString,
  uints: fc.array(small, { maxLength: 4 }).map((items) => [items.length, ...items]),
  byteStrings: fc.array(byteString, { maxLength: 3 }).map((items) => [items.length, ...items.flat()]),
  // Forward in version 13, where an even number counts from the end of the instruction; two bytes before.
  label: fc.integer({ min: 0, max: 9 }).map((byte) => [byte]),
  labels: fc.integer({ min: 0, max: 4 }).map((byte) => [1, 0, byte]),
};

const instruction = fc
  .constantFrom(...SIGNATURE_OPCODES)
  .chain(({ byte, immediates }) =>
    fc.tuple(...immediates.map(({ kind }) => IMMEDIATES[kind])).map((parts) => [byte, ...parts.flat()]),
  );

const constant = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((value) => [0x81, value]),
  byteString.map((bytes) => [0x80, ...bytes]),
);

/** Programs whose every byte is an instruction's, with constants enough to go on with. */
export const wellFormedProgram: fc.Arbitrary<Uint8Array> = fc
  .array(fc.oneof({ arbitrary: constant, weight: 3 }, { arbitrary: instruction, weight: 4 }), { maxLength: 30 })
  .map((parts) => Uint8Array.from([LATEST_VERSION, ...parts.flat()]));

/** Any bytes behind any version. */
export const anyProgram: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.integer({ min: 0, max: LATEST_VERSION + 2 }), fc.uint8Array({ maxLength: 60 }))
  .map(([version, body]) => Uint8Array.from([version, ...body]));

/** A well-formed program in which some bytes are others, missing or twice. */
export const damagedProgram: fc.Arbitrary<Uint8Array> = fc
  .tuple(wellFormedProgram, fc.nat(), fc.nat({ max: 2 }), fc.uint8Array({ maxLength: 2 }))
  .map(([program, place, removed, added]) => {
    const bytes = [...program];
    bytes.splice(place % program.length, removed, ...added);
    return Uint8Array.from(bytes);
  });

type Kind = 'integer' | 'bytes' | 'unknown';

function kindOfType(type: StackType): Kind {
  if (type === 'any') return 'unknown';
  return type === 'uint64' || type === 'bool' ? 'integer' : 'bytes';
}

const APPLICATION_OPCODES = OPCODES.filter(
  ({ modes, since }) => modes.includes('application') && since <= LATEST_VERSION,
);
/** The opcodes that only applications have, so that they are not lost among the others. */
const OWN_OPCODES = APPLICATION_OPCODES.filter(({ modes }) => !modes.includes('signature'));

/** Pushes what the arguments of an opcode should be: small numbers, ids, slots, keys and names. */
const argument = (type: StackType): fc.Arbitrary<readonly number[]> => {
  const number = fc.constantFrom([0x81, 0], [0x81, 1], [0x81, 2], [0x81, 8], [0x81, 0xe9, 0x07], [0x81, 0xea, 0x07]);
  const text = fc.constantFrom([0x80, 1, 0x61], [0x80, 0], [0x80, 2, 0x61, 0x62], [0x31, 0], [0x32, 10]);
  return kindOfType(type) === 'integer' ? number : kindOfType(type) === 'bytes' ? text : fc.oneof(number, text);
};

const applicationStep = fc
  .oneof(
    { arbitrary: fc.constantFrom(...OWN_OPCODES), weight: 4 },
    { arbitrary: fc.constantFrom(...APPLICATION_OPCODES), weight: 1 },
  )
  .chain(({ byte, subByte, immediates, args }) =>
    fc
      .tuple(fc.tuple(...args.map(argument)), fc.tuple(...immediates.map(({ kind }) => IMMEDIATES[kind])))
      .map(([pushed, parts]) => [...pushed.flat(), byte, ...(subByte === undefined ? [] : [subByte]), ...parts.flat()]),
  );

/** An inner payment or call that may go through. */
const innerStep = fc
  .constantFrom([0x81, 1, 0xb2, 16], [0x81, 6, 0xb2, 16, 0x81, 0xea, 0x07, 0xb2, 24])
  .map((fields) => [0xb1, ...fields, 0xb3]);

/** Programs of applications: each opcode finds arguments of the kinds that it wants. */
export const applicationProgram: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.array(fc.oneof({ arbitrary: applicationStep, weight: 6 }, { arbitrary: innerStep, weight: 1 }), {
      maxLength: 8,
    }),
    fc.constantFrom(0, 1),
  )
  .map(([parts, end]) => Uint8Array.from([LATEST_VERSION, ...parts.flat(), 0x81, end, 0x43]));

/** Opcodes that only look at the stack and at immediates of one byte, and go on with the next. */
const PLAIN_OPCODES = SIGNATURE_OPCODES.filter(
  ({ name, immediates, args, returns }) =>
    args.length + returns.length > 0 &&
    immediates.every(({ kind }) => kind === 'uint8' || kind === 'field') &&
    !/^(err|return|assert|arg.*|intc.*|bytec.*|popn|dupn|bury|cover|uncover|frame_.*|callsub|retsub)$/.test(name),
);

/** Programs whose opcodes find the kinds of arguments that they want, and that end with 0 or 1. */
export const typedProgram: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 })), { maxLength: 40 }), fc.integer({ min: 0, max: 3 }))
  .map(([choices, end]) => {
    const bytes: number[] = [LATEST_VERSION];
    const stack: Kind[] = [];
    for (const [choice, immediate] of choices) {
      const fitting = PLAIN_OPCODES.filter(({ args }) => fits(args, stack));
      const opcode = choice % 3 === 0 ? undefined : fitting[choice % fitting.length];
      if (opcode === undefined) {
        bytes.push(...(choice % 2 === 0 ? [0x81, choice % 100] : [0x80, 2, choice % 256, 1]));
        stack.push(choice % 2 === 0 ? 'integer' : 'bytes');
        continue;
      }
      bytes.push(opcode.byte, ...opcode.immediates.map(() => immediate));
      stack.length -= opcode.args.length;
      stack.push(...opcode.returns.map(kindOfType));
    }
    return Uint8Array.from([...bytes, ...stack.map(() => 0x48), 0x81, Math.min(end, 1)]);
  });

function fits(args: readonly StackType[], stack: readonly Kind[]): boolean {
  const base = stack.length - args.length;
  return base >= 0 && args.every((type, index) => type === 'any' || kindOfType(type) === stack[base + index]);
}
