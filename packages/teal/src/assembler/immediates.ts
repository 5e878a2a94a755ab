import type { Field } from '../machine/field-group.ts';
import { type FieldImmediate, type Immediate, type Opcode, takesField } from '../machine/opcode.ts';
import type { Assembly } from './assembly.ts';
import type { ByteText } from '../go/byte-text.ts';
import { goQuote } from '../go/quote.ts';
import type { Instruction } from './instruction.ts';
import { endOf, type Token } from './token.ts';
import { parseNumber, parseSigned } from '../go/number.ts';

/** Reports a wrong number of words. `expected` is at least 0. */
export function hasWords({ problems }: Assembly, { mnemonic, words, name }: Instruction, expected: number): boolean {
  if (words.length === expected) return true;
  const surplus = words[expected];
  const noun = expected === 1 ? 'argument' : 'arguments';
  problems.error(surplus ?? endOf(words.at(-1) ?? mnemonic), `${name} expects ${expected} immediate ${noun}`);
  return false;
}

/** The bytes of immediates of one byte each; reports the first wrong one. */
export function encodeImmediates(
  assembly: Assembly,
  instruction: Instruction,
  { immediates }: Opcode,
): readonly number[] | undefined {
  if (!hasWords(assembly, instruction, immediates.length)) return undefined;
  const encoded: number[] = [];
  for (const [index, immediate] of immediates.entries()) {
    const word = instruction.words[index];
    if (word === undefined) return undefined;
    const value = encodeImmediate(word, immediate, {
      instruction,
      immediates,
      version: assembly.version ?? 1,
    });
    if (typeof value === 'string') {
      assembly.problems.error(word, value);
      return undefined;
    }
    encoded.push(value & 0xff);
  }
  return encoded;
}

interface Surroundings {
  readonly instruction: Instruction;
  readonly immediates: readonly Immediate[];
  readonly version: number;
}

/** The byte of an immediate, or the error in its word. */
function encodeImmediate(word: Token, immediate: Immediate, around: Surroundings): number | ByteText {
  const { name } = around.instruction;
  if (immediate.kind === 'field') return encodeField(word, immediate, around);
  if (immediate.kind === 'int8') {
    const value = parseSigned(word.text, 127n);
    if (typeof value === 'bigint') return Number(value);
    return `${name} unable to parse ${immediate.name} ${goQuote(word.text)} as int8`;
  }
  const value = parseNumber(word.text);
  if (typeof value === 'string') {
    const problem = `${name} unable to parse ${immediate.name} ${goQuote(word.text)} as integer`;
    return (
      wrongPlace(word, around, (other) => other.kind === 'field' && fieldIn(other, word.text) !== undefined) ?? problem
    );
  }
  return value > 255n ? `${name} ${immediate.name} beyond 255: ${value}` : Number(value);
}

function encodeField(word: Token, immediate: FieldImmediate, around: Surroundings): number | ByteText {
  const { name } = around.instruction;
  const field = immediate.group.fieldNamed(word.text);
  const chosen = fieldIn(immediate, word.text);
  if (field === undefined || chosen === undefined) {
    return (
      (field === undefined ? undefined : wrongForm(field, around)) ??
      wrongPlace(word, around, (other) => other.kind === 'uint8' && typeof parseNumber(word.text, 255n) === 'bigint') ??
      `${name} unknown field: ${goQuote(word.text)}`
    );
  }
  const { sets } = immediate;
  const since = sets === undefined ? (field.since ?? 0) : field.settable;
  if (since === undefined) return `${name} ${goQuote(word.text)} is not ${sets}.`;
  if (since > around.version) {
    return `${name} ${word.text} field was introduced in v${since}. Missed #pragma version?`;
  }
  return field.code;
}

/** The field with this name, if the opcode accepts it in this place. */
function fieldIn(immediate: FieldImmediate, name: string): Field | undefined {
  const field = immediate.group.fieldNamed(name);
  return field !== undefined && takesField(immediate, field) ? field : undefined;
}

function wrongForm({ name, array }: Field, { instruction, immediates }: Surroundings): ByteText | undefined {
  const { mnemonic, forms } = instruction;
  if (!forms?.isExplained) return undefined;
  const count = array ? immediates.length + 1 : immediates.length - 1;
  return `${goQuote(name)} field of ${mnemonic.text} can only be used with ${count} immediate${count === 1 ? '' : 's'}`;
}

/** A hint that a word belongs to another immediate of the opcode. */
function wrongPlace(
  { text }: Token,
  { instruction, immediates }: Surroundings,
  belongsTo: (immediate: Immediate) => boolean,
): ByteText | undefined {
  const places = immediates.flatMap((immediate, index) => (belongsTo(immediate) ? [index + 1] : []));
  if (places.length === 0) return undefined;
  const { name, forms } = instruction;
  const form = forms?.isExplained ? ` with ${immediates.length} immediates` : '';
  return `${name}${form} can only use ${goQuote(text)} as immediate ${places.join(' or ')}`;
}
