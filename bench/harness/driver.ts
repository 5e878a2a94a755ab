import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { profilingFlags } from './profile.ts';

/** A process of its own that does jobs on demand, one at a time. */
export interface Driver<Job, Result> {
  readonly pid: number;
  /** From its start until it said that it was ready. */
  readonly startMs: number;
  run(job: Job): Promise<Result>;
  stop(): Promise<void>;
}

export interface DriverOptions {
  /** A program of `bench/peers` that calls `serveJobs`. */
  readonly file: string;
  readonly environment?: Readonly<Record<string, string>>;
}

type Answer<Result> = { readonly result: Result } | { readonly failure: string } | { readonly ready: true };

/**
 * Starts a program that takes jobs by messages; it runs as it is installed, not from the packages' sources. The job's
 * and the result's type are the program's: it lies beside this one.
 */
export async function startDriver<Job extends object, Result>(options: DriverOptions): Promise<Driver<Job, Result>> {
  const { PATH = '', HOME = '' } = process.env;
  const start = performance.now();
  const child = fork(fileURLToPath(new URL(`../peers/${options.file}`, import.meta.url)), {
    execArgv: profilingFlags(options.file),
    env: { PATH, HOME, NODE_ENV: 'production', ...options.environment },
    serialization: 'advanced',
  });
  await nextAnswer<Result>(child, options.file);
  return {
    pid: child.pid ?? 0,
    startMs: performance.now() - start,
    async run(job) {
      child.send(job);
      const answer = await nextAnswer<Result>(child, options.file);
      if ('result' in answer) return answer.result;
      throw new Error(`${options.file}: ${'failure' in answer ? answer.failure : 'answered out of turn'}`);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function nextAnswer<Result>(child: ChildProcess, file: string): Promise<Answer<Result>> {
  const done = new AbortController();
  const exited = once(child, 'exit', { signal: done.signal }).then(([code, signal]) => {
    throw new Error(`${file} exited with ${String(code ?? signal)}`);
  });
  exited.catch(() => {});
  const answered = once(child, 'message', { signal: done.signal }).then(([answer]) => answer as Answer<Result>);
  try {
    return await Promise.race([answered, exited]);
  } finally {
    done.abort();
  }
}
