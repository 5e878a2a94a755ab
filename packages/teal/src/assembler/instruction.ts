import { NEWEST_VERSION, OPCODES, opcodesOf } from '../opcodes/table.ts';
import type { FormOf, Opcode } from '../machine/opcode.ts';
import type { ByteText } from '../go/byte-text.ts';
import type { Problems } from './problem.ts';
import type { Token } from './token.ts';
import type { StackType } from '../machine/stack-value.ts';

/** A word for a constant that the assembler may put in any place. */
export type ConstantWord = 'int' | 'byte' | 'addr' | 'method';

/** One instruction of the source, with its meaning. */
export interface Instruction {
  readonly mnemonic: Token;
  readonly words: readonly Token[];
  /** The name that messages about immediates use. */
  readonly name: ByteText;
  readonly meaning: Opcode | ConstantWord;
  /** Set if the mnemonic stands for several opcodes, distinguished by the number of words. */
  readonly forms: FormOf | undefined;
  /** Whether the number of words fits no form: then only its effect on the stack counts. */
  readonly isBroken: boolean;
}

const CONSTANT_WORDS: ReadonlySet<string> = new Set<ConstantWord>(['int', 'byte', 'addr', 'method']);

/** The possible meanings of a mnemonic that stands for several opcodes. */
interface Forms extends FormOf {
  /** The opcode's name by the number of words. */
  readonly byWords: ReadonlyMap<number, string>;
}

const FORMS: ReadonlyMap<string, Forms> = new Map(
  OPCODES.flatMap(({ formOf }) => (formOf === undefined ? [] : [[formOf.mnemonic, formsOf(formOf)]])),
);

function formsOf(form: FormOf): Forms {
  const meant = OPCODES.filter(({ name, formOf }) => [name, formOf?.mnemonic].includes(form.mnemonic));
  const byWords = meant.map(({ name, immediates }): [number, string] => [immediates.length, name]);
  return { ...form, byWords: new Map(byWords.sort(([a], [b]) => a - b)) };
}

/** Whether a name is not an opcode itself, or stands for several opcodes. */
export function isPseudo(name: ByteText): boolean {
  return CONSTANT_WORDS.has(name) || FORMS.has(name);
}

/** The meaning of a statement in a version. Reports errors in its mnemonic; undefined if nothing is known about it. */
export function findInstruction(
  mnemonic: Token,
  words: readonly Token[],
  { version, problems }: { readonly version: number; readonly problems: Problems },
): Instruction | undefined {
  const name = mnemonic.text;
  const plain = { mnemonic, words, name, forms: undefined, isBroken: false };
  if (isConstantWord(name)) return { ...plain, meaning: name };
  const forms = FORMS.get(name);
  if (forms !== undefined) return findForm(plain, forms, { version, problems });
  const opcode = opcodesOf(version).byName.get(name);
  if (opcode !== undefined) return { ...plain, meaning: opcode };
  const since = introducedIn(name);
  problems.error(
    mnemonic,
    since === undefined ? `unknown opcode: ${name}` : `${name} opcode was introduced in v${since}`,
  );
  return undefined;
}

function isConstantWord(name: string): name is ConstantWord {
  return CONSTANT_WORDS.has(name);
}

function findForm(
  plain: Omit<Instruction, 'meaning'>,
  forms: Forms,
  { version, problems }: { readonly version: number; readonly problems: Problems },
): Instruction | undefined {
  const { mnemonic, words, name } = plain;
  const chosen = forms.byWords.get(words.length);
  if (chosen === undefined) {
    problems.error(mnemonic, `${name} expects ${[...forms.byWords.keys()].join(' or ')} immediate arguments`);
    return forms.isExplained ? { ...plain, meaning: newest(name), forms, isBroken: true } : undefined;
  }
  const since = introducedIn(chosen) ?? 0;
  if (since > Math.max(version, 1)) {
    const form = forms.keepsName ? ` with ${counted(words.length)}` : '';
    problems.error(mnemonic, `${name} opcode${form} was introduced in v${since}`);
    if (form === '') return undefined;
  }
  return {
    ...plain,
    name: forms.keepsName ? name : chosen,
    meaning: opcodesOf(version).byName.get(chosen) ?? newest(chosen),
    forms,
  };
}

function counted(immediates: number): string {
  if (immediates === 0) return 'no immediates';
  return immediates === 1 ? '1 immediate' : `${immediates} immediates`;
}

function newest(name: string): Opcode {
  const opcode = opcodesOf(NEWEST_VERSION).byName.get(name);
  if (opcode === undefined) throw new TypeError(`no opcode is called ${name}`);
  return opcode;
}

const INTRODUCED = new Map<string, number>();
for (const { name, since } of OPCODES) INTRODUCED.set(name, Math.min(since, INTRODUCED.get(name) ?? since));

function introducedIn(name: string): number | undefined {
  return INTRODUCED.get(name);
}

/** The values that an instruction takes from the stack and leaves there, according to the table. */
export function stackEffect({ meaning }: Instruction): {
  readonly args: readonly StackType[];
  readonly returns: readonly StackType[];
} {
  if (typeof meaning === 'object') return meaning;
  return { args: [], returns: [meaning === 'int' ? 'uint64' : '[]byte'] };
}

/** An instruction as messages about the stack show it: its mnemonic and words. */
export function asWritten({ mnemonic, words, forms }: Instruction): ByteText {
  if (words.length === 0 && forms !== undefined) return `${mnemonic.text} without immediates`;
  return [mnemonic, ...words].map(({ text }) => text).join(' ');
}
