import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { World } from './world.ts';

/** Exit codes, the same for every command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** One command of the program. */
export interface Command {
  /** A short description of what the command does. */
  readonly summary: string;
  readonly help: string;
  /** Resolves to the exit code; a thrown error is shown to the user. */
  run(args: readonly string[], world: World): Promise<number>;
}

/** An error in the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An error in the input of a command. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Reads a command's options and its only FILE.
 * @throws UsageError
 */
export function parseArguments<const O extends Options>(args: readonly string[], options: O) {
  const parsed = parseOrRefuse(args, options);
  const [file, ...surplus] = parsed.positionals;
  if (file === undefined || surplus.length > 0) throw new UsageError('expected one FILE, or - for stdin');
  return { values: parsed.values, file };
}

function parseOrRefuse<const O extends Options>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause));
  }
}

/**
 * The bytes of a file, or of stdin for `-`.
 * @throws CommandError
 */
export async function readBytes(world: World, file: string): Promise<Uint8Array> {
  try {
    return file === '-' ? await world.input() : await world.read(file);
  } catch (cause) {
    throw new CommandError(`can't read ${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** @throws CommandError */
export async function writeOut(world: World, file: string, bytes: Uint8Array | string): Promise<void> {
  try {
    await world.write(file, bytes);
  } catch (cause) {
    throw new CommandError(`can't write ${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** A text as bytes, or the bytes of hexadecimal digits after `0x`; undefined: the digits are wrong. */
export function textOrHex(text: string): Uint8Array | undefined {
  if (!text.startsWith('0x')) return new TextEncoder().encode(text);
  const digits = text.slice(2);
  if (!/^(?:[\da-fA-F]{2})*$/.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
