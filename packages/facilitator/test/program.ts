import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../bin/avm402-facilitator.js', import.meta.url));
const started: ChildProcess[] = [];

/** The facilitator as a program, and what it has printed so far. */
export interface Run {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown[]>;
  stdout: string;
  stderr: string;
}

/** Starts the program with this environment and nothing else that it reads. */
export function run(environment: Record<string, string>, ...parameters: string[]): Run {
  return runLogging('pipe', environment, ...parameters);
}

/** Likewise, with standard error as given: a pipe, or an open file. */
export function runLogging(log: 'pipe' | number, environment: Record<string, string>, ...parameters: string[]): Run {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [program, ...parameters], {
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', log],
  });
  started.push(child);
  const result: Run = { child, exited: once(child, 'close'), stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => (result.stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (result.stderr += chunk.toString()));
  return result;
}

/** Its URL, once it is ready. */
export async function urlOf(result: Run): Promise<string> {
  for (;;) {
    const url = /^avm402-facilitator listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(result.stdout)?.[1];
    if (url !== undefined) return url;
    if (result.child.exitCode !== null) throw new Error(`it ended: ${result.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The lines of its log. */
export function logOf({ stderr }: Run): readonly Record<string, unknown>[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Ends all that were started. */
export function killPrograms(): void {
  for (const child of started.splice(0)) child.kill('SIGKILL');
}
