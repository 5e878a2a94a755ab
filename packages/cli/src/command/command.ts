import { parseArgs, type ParseArgsConfig } from 'node:util';
import { isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { likelyName } from '@avm402/core/likely-name';
import { parsePrice } from '@avm402/core/price';
import { quoted } from '@avm402/core/quoted';
import type { Terminal } from './terminal.ts';
import { EXIT } from '../words/exit-code.ts';
import { explain } from '../words/explain.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** One command of the program. */
export interface Command {
  /** What it does, in a few words. */
  readonly summary: string;
  readonly help: string;
  readonly options: Options;
  /** Resolves to the exit code; anything that it throws is shown as an error. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** What a command has to say at its end. */
export interface Result {
  /** For a person. */
  readonly lines?: readonly string[];
  /** For a program: what `--json` prints instead. */
  readonly json?: unknown;
  /** Default: done. */
  readonly exitCode?: number;
}

/** The values of a command's options. */
export type OptionValues<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** Arguments by their names. One in brackets may be absent. */
type Positionals<P extends readonly string[]> = {
  readonly [I in keyof P]: P[I] extends `[${string}]` ? string | undefined : string;
};

interface Definition<O extends Options, P extends readonly string[]> extends Pick<Command, 'summary' | 'help'> {
  readonly options: O;
  readonly positionals: P;
  run(values: OptionValues<O>, terminal: Terminal, ...positionals: Positionals<P>): Promise<Result>;
}

/** Makes a command that gets its arguments parsed, and whose result is printed as text or, with `--json`, as JSON. */
export function command<const O extends Options, const P extends readonly string[]>(
  definition: Definition<O, P>,
): Command {
  const { options, positionals } = definition;
  return {
    ...definition,
    async run(args, terminal) {
      const { values, positionals: given } = parseArguments(args, options, positionals);
      const {
        lines = [],
        json,
        exitCode = EXIT.done,
      } = await definition.run(values, terminal, ...(given as Positionals<P>));
      if ('json' in values && json !== undefined) terminal.printJson(json);
      else terminal.print(...lines);
      return exitCode;
    },
  };
}

/**
 * Parses a command's arguments.
 * @throws X402Error `invalid_arguments`
 */
function parseArguments<O extends Options>(args: readonly string[], options: O, positionals: readonly string[]) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    const required = positionals.filter((name) => !name.startsWith('['));
    const given = parsed.positionals.length;
    if (given >= required.length && given <= positionals.length) return parsed;
    throw wrongArguments(parsed.positionals, positionals);
  } catch (cause) {
    if (isX402Error(cause)) throw cause;
    throw invalidArguments(wrongOption(explain(cause).message, Object.keys(options)));
  }
}

/** The first sentence of what Node says of an option, and the option that was probably meant. */
function wrongOption(reason: string, names: readonly string[]): string {
  const [sentence = reason] = reason.split(/\.\s/, 1);
  const unknown = /^Unknown option '--([^']+)'/.exec(sentence)?.[1];
  const likely = unknown === undefined ? undefined : likelyName(unknown, names);
  return likely === undefined ? sentence : `${sentence}; did you mean --${likely}?`;
}

function wrongArguments(given: readonly string[], positionals: readonly string[]): X402Error {
  const expected = positionals.length === 0 ? 'no argument' : positionals.join(' ');
  const tooMany = given.slice(positionals.length).map(quoted).join(' ');
  const after = tooMany === '' ? '' : `, and not ${tooMany} after it; quote what contains a space or &`;
  return invalidArguments(`expected ${expected}${after}`);
}

/** The error for a command that was called in a wrong way. */
export function invalidArguments(message: string): X402Error {
  return new X402Error('invalid_arguments', { message });
}

/** @throws X402Error `invalid_arguments` */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalidArguments(`not an http or https URL: ${text}`);
  // fetch refuses it, and shows the password.
  if (url.username || url.password) throw invalidArguments('a URL may have no user or password: send them in a header');
  return text;
}

/**
 * Reads the value of an option or of an argument.
 * @throws X402Error `invalid_arguments`, which names it
 */
export function valueOf<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isX402Error(error) && !isAlgorandError(error)) throw error;
    throw invalidArguments(`${name}: ${error.message}`);
  }
}

/** A decimal number of whole units as atomic units. `example` shows how one is written. */
export function amountValue(name: string, text: string, { decimals, example }: AmountFormat): bigint {
  return valueOf(name, () => {
    try {
      return parsePrice(text, decimals);
    } catch (error) {
      if (!isX402Error(error, 'invalid_price')) throw error;
      throw new X402Error('invalid_price', { message: `${quoted(text)} is not an amount such as ${example}` });
    }
  });
}

interface AmountFormat {
  readonly decimals: number;
  readonly example: string;
}
