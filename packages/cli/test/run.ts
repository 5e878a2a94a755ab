import { PassThrough } from 'node:stream';
import { main } from '../src/main.ts';
import { createTerminal, type Terminal } from '../src/command/terminal.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly streams?: ReturnType<Terminal['streams']>;
  readonly interrupted?: AbortSignal;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  /** Whether stdout is a terminal. Default false. */
  readonly showsStdout?: boolean;
}

/** Runs one command line in this process. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { environment = {}, input = '', interrupted = new AbortController().signal } = options;
  let stdout = '';
  let stderr = '';
  const terminal = createTerminal({
    environment,
    fetch: options.fetch ?? globalThis.fetch,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    now: options.now ?? Date.now,
    interrupted: () => interrupted,
    stdout: (text) => void (stdout += Buffer.from(text).toString()),
    showsStdout: options.showsStdout ?? false,
    stderr: (text) => void (stderr += text),
    written: async () => undefined,
    input: () => Promise.resolve(Buffer.from(input)),
    streams: () => options.streams ?? [new PassThrough(), new PassThrough()],
  });
  const code = await main(args, '1.2.3', terminal);
  return { code, stdout, stderr };
}
