import { fstatSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { printableJson, printableLine, printableText } from '../words/printable.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything outside the program that a command may use. */
export interface World {
  readonly environment: Environment;
  readonly fetch: typeof fetch;
  readonly random: (bytes: number) => Uint8Array;
  readonly now: () => number;
  /** Aborts when the user interrupts the command. One that does not ask for it is ended at once. */
  readonly interrupted: () => AbortSignal;
  readonly stdout: (text: string | Uint8Array) => void;
  readonly stderr: (text: string) => void;
  /** Resolves when all of stdout is written; to the error if some of it could not be. A reader that has left is none. */
  readonly written: () => Promise<Error | undefined>;
  /** Whether a terminal shows stdout. Otherwise a file or another program gets it. */
  readonly showsStdout: boolean;
  /** All of stdin, byte for byte. */
  readonly input: () => Promise<Buffer>;
  /** Stdin and stdout, for a command that talks over them. */
  readonly streams: () => readonly [Readable, Writable];
}

/**
 * The world as a command sees it. Everything that it writes goes through here, because any of it may come from a
 * seller: characters that a terminal would obey are removed.
 */
export interface Terminal extends Omit<World, 'stdout' | 'stderr'> {
  /** Lines on stdout. */
  print(...lines: string[]): void;
  /** Text of several lines on stdout. */
  printText(text: string): void;
  printJson(value: unknown): void;
  /** Bytes on stdout as they are. Only for a reader that is no terminal, which would obey them. */
  printBytes(bytes: Uint8Array): void;
  /** Lines on stderr. */
  error(...lines: string[]): void;
}

export function createTerminal({ stdout, stderr, ...world }: World): Terminal {
  const lines = (texts: readonly string[]): string => texts.map((line) => `${printableLine(line)}\n`).join('');
  return {
    ...world,
    print: (...texts) => stdout(lines(texts)),
    printText: (words) => stdout(`${printableText(words)}\n`),
    printBytes: (bytes) => stdout(bytes),
    printJson: (value) => stdout(`${printableJson(value, 2)}\n`),
    error: (...texts) => stderr(lines(texts)),
  };
}

/** The world of this process. */
export function processWorld(): World {
  // Work that is under way goes on, above all a payment, whether or not its words can be written.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  let lost: Error | undefined;
  const noteLoss = (error?: NodeJS.ErrnoException | null): void => {
    if (error && error.code !== 'EPIPE') lost ??= error;
  };
  return {
    environment: process.env,
    fetch: globalThis.fetch,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    now: Date.now,
    interrupted,
    stdout: (words) => writeOut(words, noteLoss),
    stderr: (words) => void process.stderr.write(words),
    written: () => new Promise((resolve) => process.stdout.write('', () => resolve(lost))),
    showsStdout: process.stdout.isTTY,
    input: () => buffer(process.stdin),
    streams: () => [process.stdin, process.stdout],
  };
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new Error('interrupted'));
  // The second Ctrl-C ends the process at once.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  return controller.signal;
}

/** Writes all of it to stdout. Node's own stream for a file takes a short write, as before a full disk, for a whole one. */
function writeOut(words: string | Uint8Array, done: (error?: Error | null) => void): void {
  const { fd } = process.stdout;
  if (!fstatSync(fd).isFile()) return void process.stdout.write(words, done);
  try {
    for (let rest = Buffer.from(words); rest.length > 0;) rest = rest.subarray(writeSync(fd, rest));
  } catch (error) {
    if (error instanceof Error) done(error);
  }
}
