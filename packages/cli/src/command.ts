import { parseArgs, type ParseArgsConfig } from 'node:util';
import { X402Error } from '@avm402/core/errors';
import type { Terminal } from './terminal.ts';

/** One command of the program. */
export interface Command {
  /** What it does, in a few words. */
  readonly summary: string;
  readonly help: string;
  /** Resolves to the exit code; anything that it throws is shown as an error. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Parses a command's arguments.
 * @throws X402Error `invalid_arguments`
 */
export function parseArguments<const O extends Options>(
  args: readonly string[],
  options: O,
  positionals: readonly string[],
) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    const required = positionals.filter((name) => !name.startsWith('['));
    const isFitting = parsed.positionals.length >= required.length && parsed.positionals.length <= positionals.length;
    if (isFitting) return parsed;
  } catch (cause) {
    throw new X402Error('invalid_arguments', { message: cause instanceof Error ? cause.message : String(cause) });
  }
  const expected = positionals.length === 0 ? 'no further argument' : positionals.join(' ');
  throw new X402Error('invalid_arguments', { message: `expected ${expected}` });
}

/** The values of a command's options. */
export type OptionValues<O extends Options> = ReturnType<typeof parseArguments<O>>['values'];

/** @throws X402Error `invalid_arguments` */
export function parseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new X402Error('invalid_arguments', { message: `not an http or https URL: ${text}` });
}
