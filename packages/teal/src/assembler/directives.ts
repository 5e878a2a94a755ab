import { NEWEST_VERSION } from '../opcodes/table.ts';
import type { Assembly } from './assembly.ts';
import type { ByteText } from '../go/byte-text.ts';
import { goQuote } from '../go/quote.ts';
import { macroNameProblem, versionedNameProblem } from './macros.ts';
import type { Token } from './token.ts';
import { parseBoolean, parseNumber } from '../go/number.ts';

/** Executes a line that begins with `#`. */
export function obeyDirective(assembly: Assembly, [directive, ...words]: readonly Token[]): void {
  if (directive === undefined) return;
  if (directive.text === '#pragma') obeyPragma(assembly, directive, words);
  else if (directive.text === '#define') define(assembly, directive, words);
  else assembly.problems.error(directive, `unknown directive: ${directive.text.slice(1)}`);
}

/** The version of a program whose source does not name one. */
const DEFAULT_VERSION = 1;

/** The version, fixed from the first statement on. */
export function versionOf(assembly: Assembly): number {
  if (assembly.version === undefined) {
    assembly.version = DEFAULT_VERSION;
    assembly.macros.settleVersion(DEFAULT_VERSION, assembly.problems);
  }
  return assembly.version;
}

function define({ macros, problems, labels, version }: Assembly, directive: Token, words: readonly Token[]): void {
  const [name, ...body] = words;
  if (name === undefined || body.length === 0) {
    problems.error(name ?? directive, 'define directive requires a name and body');
    return;
  }
  const problem =
    macroNameProblem(name.text, labels) ??
    (version === undefined ? undefined : versionedNameProblem(name.text, version));
  if (problem === undefined) macros.define(name, body, problems);
  else problems.error(name, problem);
}

function obeyPragma(assembly: Assembly, directive: Token, [key, value, ...extra]: readonly Token[]): void {
  const { problems } = assembly;
  const pragma = key === undefined ? undefined : PRAGMAS.get(key.text);
  if (key === undefined) return problems.error(directive, 'empty pragma');
  if (pragma === undefined) return problems.error(directive, `unsupported pragma directive: ${goQuote(key.text)}`);
  if (pragma.comesFirst && assembly.codes.length > 0) {
    return problems.error(directive, `#pragma ${key.text} is only allowed before instructions`);
  }
  if (value === undefined) return problems.error(key, `no ${key.text} value`);
  const [surplus] = extra;
  if (surplus !== undefined) {
    return problems.error(surplus, `unexpected extra tokens: ${extra.map(({ text }) => text).join(' ')}`);
  }
  const problem = pragma.obey(assembly, value);
  if (problem !== undefined) problems.error(value, problem);
}

interface Pragma {
  /** Whether it must come before the first instruction. */
  readonly comesFirst: boolean;
  /** Applies the value; returns the error if the value is wrong. */
  obey(assembly: Assembly, value: Token): ByteText | undefined;
}

const PRAGMAS: ReadonlyMap<ByteText, Pragma> = new Map([
  ['version', { comesFirst: true, obey: setVersion }],
  ['typetrack', { comesFirst: false, obey: setTypetrack }],
  ['autosalt', { comesFirst: true, obey: setAutosalt }],
]);

function setVersion(assembly: Assembly, { text }: Token): ByteText | undefined {
  const version = parseNumber(text);
  if (typeof version === 'string') return `bad #pragma version: ${goQuote(text)}`;
  if (version > BigInt(NEWEST_VERSION)) return `unsupported version: ${version}`;
  if (assembly.version === undefined) {
    assembly.version = Number(version);
    const isCompatible = assembly.macros.settleVersion(assembly.version, assembly.problems);
    return isCompatible ? undefined : 'version is incompatible with defined macros';
  }
  if (assembly.version === Number(version)) return undefined;
  return `version mismatch: assembling v${version} with v${assembly.version} assembler`;
}

function setTypetrack({ types }: Assembly, { text }: Token): ByteText | undefined {
  const isOn = parseBoolean(text);
  if (isOn === undefined) return `bad #pragma typetrack: ${goQuote(text)}`;
  if (isOn && !types.isOn) types.forget();
  types.isOn = isOn;
  return undefined;
}

function setAutosalt(assembly: Assembly, { text }: Token): ByteText | undefined {
  const autosalt = parseBoolean(text);
  if (autosalt === undefined) return `bad #pragma autosalt: ${goQuote(text)}`;
  assembly.autosalt = autosalt;
  return undefined;
}
