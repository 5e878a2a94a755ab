import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endProcess } from './end-process.ts';

const KILL_AFTER_MS = 10_000;

export interface ProgramOptions {
  /** The program's name in messages. */
  readonly name: string;
  /** The line on stdout that says it is ready; the first group is its origin. Default: `<name> listening on <url>`. */
  readonly ready?: RegExp;
  /** A JavaScript or TypeScript file and its arguments. */
  readonly command: readonly string[];
  /** The whole environment of the process; it inherits only PATH, HOME and Node's cache of compiled code. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds until the program must be ready. */
  readonly readyTimeoutMs?: number;
}

/** A running program of ours; `await using` stops it. */
export interface Program extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  /** The origin that the program announced. */
  readonly url: string;
  /** Everything printed so far, stdout and stderr in order of arrival. */
  output(): string;
  /** Ends it with SIGTERM (SIGKILL after 10 s) and resolves with its exit code; null if a signal ended it. */
  stop(): Promise<number | null>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
}

/** Starts a program and waits for its ready line. Rejects with its output if it exits before that. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, options.command, {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const url = await readyUrl(child, options, () => output);
  return {
    name: options.name,
    pid: child.pid ?? 0,
    url,
    output: () => output,
    stop: () => stop(child),
    [Symbol.asyncDispose]: async () => void (await stop(child)),
    kill: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await exited;
    },
  };
}

function readyUrl(child: ChildProcess, options: ProgramOptions, output: () => string): Promise<string> {
  const { name, ready = new RegExp(`^${name} listening on (\\S+)$`, 'm'), readyTimeoutMs = 30_000 } = options;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`${name} ${why}\n${output()}`));
    };
    const timer = setTimeout(() => fail(`was not ready within ${readyTimeoutMs} ms`), readyTimeoutMs);
    const ended = (code: number | null): void => fail(`exited with ${code ?? 'a signal'} before it was ready`);
    const look = (): void => {
      const [, url] = ready.exec(output()) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      child.off('exit', ended);
      child.stdout?.off('data', look);
      resolve(url);
    };
    child.once('exit', ended);
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.stdout?.on('data', look);
  });
}

async function stop(child: ChildProcess): Promise<number | null> {
  await endProcess(child, KILL_AFTER_MS);
  return child.exitCode;
}
