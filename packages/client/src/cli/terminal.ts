import { text } from 'node:stream/consumers';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command sees of the world around it. */
export interface Terminal {
  readonly environment: Environment;
  readonly fetch: typeof fetch;
  readonly random: (bytes: number) => Uint8Array;
  readonly now: () => number;
  /** Aborts when the user interrupts the command. */
  readonly interrupted: AbortSignal;
  /** Text on stdout, with a line end. */
  print(line: string): void;
  /** The same on stderr. */
  error(line: string): void;
  /** All of stdin. */
  input(): Promise<string>;
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new Error('interrupted'));
  // The second Ctrl-C ends the process at once.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  return {
    environment: process.env,
    fetch: globalThis.fetch,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    now: Date.now,
    interrupted: controller.signal,
    print: (line) => void process.stdout.write(`${line}\n`),
    error: (line) => void process.stderr.write(`${line}\n`),
    input: () => text(process.stdin),
  };
}
