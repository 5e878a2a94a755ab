import { opcodesOf } from '../opcodes/table.ts';
import { runeAt, type ByteText } from '../go/byte-text.ts';
import { ENCODINGS } from './byte-literal.ts';
import { isPseudo } from './instruction.ts';
import { NAMED_INTS } from './named-ints.ts';
import type { Problems } from './problem.ts';
import type { Place, Token } from './token.ts';

interface Macro extends Place {
  readonly body: readonly Token[];
}

// algod expands until it runs out of memory. A source of the largest size has about 260,000 words.
const MAX_STEPS = 1_000_000;

/** Macros grow without bound, so nothing more can be said about the source. */
export class MacroOverflow extends Error {
  override readonly name = 'MacroOverflow';
  readonly at: Place;

  constructor(at: Place) {
    super(`macros expand to more than ${MAX_STEPS} words`);
    this.at = at;
  }
}

/** The macros defined by `#define`. */
export class Macros {
  readonly #macros = new Map<ByteText, Macro>();
  /** Every word that occurs in a macro's body. */
  readonly #mentioned = new Set<ByteText>();
  #steps = 0;

  has(name: ByteText): boolean {
    return this.#macros.has(name);
  }

  define(name: Token, body: readonly Token[], problems: Problems): void {
    const cycle = this.#cycleThrough(name, body);
    if (cycle !== undefined) {
      problems.error(name, `macro expansion cycle discovered: ${cycle.join(' -> ')}`);
      return;
    }
    this.#macros.set(name.text, { body, line: name.line, column: name.column });
    for (const { text } of body) this.#mentioned.add(text);
  }

  /** Drops and reports names that can't be a macro's in a version; true if there were any. */
  settleVersion(version: number, problems: Problems): boolean {
    let isCompatible = true;
    for (const [name, macro] of this.#macros) {
      const problem = versionedNameProblem(name, version);
      if (problem === undefined) continue;
      problems.error(macro, problem);
      this.#macros.delete(name);
      isCompatible = false;
    }
    return isCompatible;
  }

  /** @throws MacroOverflow */
  expand(tokens: readonly Token[]): readonly Token[] {
    if (this.#macros.size === 0) return tokens;
    const expanded: Token[] = [];
    const pending = tokens.toReversed();
    for (let token = pending.pop(); token !== undefined; token = pending.pop()) {
      const macro = this.#macros.get(token.text);
      if (macro === undefined) {
        expanded.push(token);
        continue;
      }
      this.#count(macro.body.length, token);
      for (const each of macro.body.toReversed()) pending.push(each);
    }
    return expanded;
  }

  /** The path from a name through macro bodies back to it, if there is one. */
  #cycleThrough(name: Token, body: readonly Token[]): readonly ByteText[] | undefined {
    if (!this.#mentioned.has(name.text) && body.every(({ text }) => text !== name.text)) return undefined;
    const seen = new Set<ByteText>();
    const path = [name.text];
    const rest = [body.toReversed()];
    while (rest.length > 0) {
      const next = rest.at(-1)?.pop();
      if (next === undefined) {
        rest.pop();
        path.pop();
        continue;
      }
      if (next.text === name.text) return [...path, name.text];
      const macro = this.#macros.get(next.text);
      if (macro === undefined || seen.has(next.text)) continue;
      seen.add(next.text);
      this.#count(macro.body.length, name);
      path.push(next.text);
      rest.push(macro.body.toReversed());
    }
    return undefined;
  }

  #count(steps: number, at: Place): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new MacroOverflow(at);
  }
}

const SYMBOLS = '+-*/^%&|~!><=?_';

/** The reason why a name can't be a macro's in any version. */
export function macroNameProblem(name: ByteText, labels: { has(name: ByteText): boolean }): ByteText | undefined {
  if (beginsWithNumber(name)) return `Cannot begin macro name with number: ${name}`;
  const character = wrongCharacter(name);
  if (character !== undefined) return `${character} character not allowed in macro name`;
  if (ENCODINGS.has(name)) return `Cannot use ${name} as macro name`;
  if (NAMED_INTS.has(name)) return `Named constants cannot be used as macro names: ${name}`;
  if (isPseudo(name)) return `Macro names cannot be pseudo-ops: ${name}`;
  return labels.has(name) ? `Labels cannot be used as macro names: ${name}` : undefined;
}

/** The reason why a name can't be a macro's in this version. */
export function versionedNameProblem(name: ByteText, version: number): ByteText | undefined {
  if (opcodesOf(version).byName.has(name)) return `Macro names cannot be opcodes: ${name}`;
  return isFieldName(name, version) ? `Macro names cannot be field names: ${name}` : undefined;
}

function isFieldName(name: ByteText, version: number): boolean {
  for (const { immediates } of opcodesOf(version).byName.values()) {
    for (const immediate of immediates) {
      if (immediate.kind === 'field' && immediate.group.fieldNamed(name) !== undefined) return true;
    }
  }
  return false;
}

function beginsWithNumber(name: ByteText): boolean {
  const start = /^[+-]/.test(name) ? 1 : 0;
  const { codePoint } = runeAt(name, start);
  return codePoint !== undefined && !Number.isNaN(codePoint) && /\p{Nd}/u.test(String.fromCodePoint(codePoint));
}

// U+FFFD in UTF-8: Go prints an invalid byte like this when it prints characters.
const REPLACEMENT = '\u00ef\u00bf\u00bd';

function wrongCharacter(name: ByteText): ByteText | undefined {
  for (let index = 0; index < name.length;) {
    const { codePoint, length } = runeAt(name, index);
    const bytes = name.slice(index, index + length);
    const isRight =
      SYMBOLS.includes(bytes) || (codePoint !== undefined && /[\p{L}\p{Nd}]/u.test(String.fromCodePoint(codePoint)));
    if (!isRight) return codePoint === undefined ? REPLACEMENT : bytes;
    index += length;
  }
  return undefined;
}
