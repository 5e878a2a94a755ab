import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** The environment of the program. */
export interface World {
  read(path: string): Promise<Uint8Array>;
  write(path: string, bytes: Uint8Array | string): Promise<void>;
  /** All of stdin. */
  input(): Promise<Uint8Array>;
  /** Prints a text of one or more lines. */
  print(text: string): void;
  printError(text: string): void;
}

/** The environment of this process. */
export function processWorld(): World {
  for (const stream of [process.stdout, process.stderr]) outliveReader(stream);
  return {
    read: (path) => readFile(path),
    write: (path, bytes) => writeFile(path, bytes),
    input: () => buffer(process.stdin),
    print: (text) => void process.stdout.write(`${printable(text)}\n`),
    printError: (text) => void process.stderr.write(`${printable(text)}\n`),
  };
}

/** A reader that has exited, as `head` does, is not a failure: files are written all the same. */
function outliveReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Characters that a terminal would interpret, except tabs and line feeds. A source may contain them.
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A text without characters that a terminal would interpret. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, (character) =>
    character === '\n' || character === '\t' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
