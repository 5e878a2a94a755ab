import { main } from '../../src/cli/main.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly interrupted?: AbortSignal;
  readonly onPrint?: (line: string) => void;
}

/** Runs one command line in this process. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { environment = {}, input = '', interrupted = new AbortController().signal } = options;
  let stdout = '';
  let stderr = '';
  const code = await main(args, '1.2.3', {
    environment,
    fetch: globalThis.fetch,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    now: Date.now,
    interrupted,
    print: (line) => {
      stdout += `${line}\n`;
      options.onPrint?.(line);
    },
    error: (line) => void (stderr += `${line}\n`),
    input: () => Promise.resolve(input),
  });
  return { code, stdout, stderr };
}
