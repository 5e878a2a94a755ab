// Sources for property tests: whole statements, single words of the language, and bytes.
import * as fc from 'fast-check';
import type { Immediate } from '../../src/machine/opcode.ts';
import { anyCharacter } from '../../../algorand/test/any-character.ts';
import { OPCODES } from '../../src/opcodes/table.ts';

const FIELDS = OPCODES.flatMap(({ immediates }) =>
  immediates.flatMap((immediate) => (immediate.kind === 'field' ? immediate.group.fields.map(({ name }) => name) : [])),
);

const WORDS = [
  ...new Set([...OPCODES.map(({ name }) => name), ...FIELDS]),
  ...'int byte addr method txn replace extract #pragma #define version typetrack autosalt true false'.split(' '),
  ...'a b a: b: : ; // base64 b32 b64( ) " \\ "" "x" "\\x41" 0x 0x00 0xab AAAA AA== b64(AA==) base32(ME)'.split(' '),
  ...'0 1 2 -1 255 256 18446744073709551615 1_0 0b1 0o7 010 pay NoOp "f(uint64)void" \u00ff'.split(' '),
  '\r',
  '\t',
  '\n',
];

const word = fc.constantFrom(...WORDS);
const version = fc.integer({ min: 0, max: 15 }).map((chosen) => `#pragma version ${chosen}\n`);
const gap = fc.constantFrom(' ', ' ', ' ', '\n', ';', '');
const statements = fc
  .array(fc.tuple(word, gap), { maxLength: 60 })
  .map((pieces) => pieces.map((piece) => piece.join('')).join(''));

const LABELS = ['one', 'two', 'three'];
const label = fc.constantFrom(...LABELS);
const literal = fc.uint8Array({ maxLength: 40 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const number = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);

/** The words that an immediate may be. */
function wordsOf(immediate: Immediate): fc.Arbitrary<string> {
  const { kind } = immediate;
  if (kind === 'field') return fc.constantFrom(...immediate.group.fields.map(({ name }) => name));
  if (kind === 'uint8') return fc.integer({ min: 0, max: 255 }).map(String);
  if (kind === 'int8') return fc.integer({ min: -128, max: 127 }).map(String);
  if (kind === 'label') return label;
  if (kind === 'labels') return fc.array(label, { maxLength: 5 }).map((words) => words.join(' '));
  if (kind === 'uint') return number;
  if (kind === 'bytes') return literal;
  return fc.array(kind === 'uints' ? number : literal, { maxLength: 6 }).map((words) => words.join(' '));
}

const instruction = fc
  .constantFrom(...OPCODES.filter(({ name }) => !/^(intc|bytec)/.test(name)))
  .chain(({ name, immediates }) => fc.tuple(fc.constant(name), ...immediates.map(wordsOf)))
  .map((words) => words.join(' '));
const constant = fc.oneof(
  number.map((value) => `int ${value}`),
  fc.integer({ min: 0, max: 6 }).map((value) => `int ${value}`),
  literal.map((value) => `byte ${value}`),
  fc.constantFrom('byte "one"', 'byte "two"', 'method "f()void"'),
);

/** Right statements of the newest version, most of which assemble. */
const program = fc
  .tuple(fc.array(fc.oneof(instruction, constant), { maxLength: 40 }), fc.nat({ max: 40 }), fc.nat({ max: 40 }))
  .map(([lines, first, second]) => {
    const placed = lines
      .toSpliced(first, 0, `${LABELS[0]}:`)
      .toSpliced(second, 0, `${LABELS[1]}:`)
      .concat(`${LABELS[2]}:`);
    return `#pragma version 14\n#pragma typetrack false\n${placed.join('\n')}\n`;
  });

/** Anything, most of it close to TEAL. */
export const anySource = fc.oneof(
  program,
  fc.tuple(version, statements).map((parts) => parts.join('')),
  statements,
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }),
);

const byte = fc.oneof(fc.constantFrom(...OPCODES.map(({ byte: opcode }) => opcode)), fc.integer({ min: 0, max: 255 }));
const bytesOf = (maxLength: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: 15 }), fc.array(byte, { maxLength }))
    .map(([first, bytes]) => Uint8Array.of(first, ...bytes));

/** The bytes of a program: of some version, most of them opcodes. Only short ones are often right to their end. */
export const anyProgram = fc.oneof(bytesOf(8), bytesOf(60), fc.uint8Array({ maxLength: 80 }));
