import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadResult } from './load.ts';

/** Work for a client process: to call a URL, or to create payments, again and again. */
export interface ClientJob {
  /** Absent: payments are created and not sent. */
  readonly url?: string;
  /** One for each worker: base64 of 64 bytes. */
  readonly privateKeys: readonly string[];
  readonly operations: number;
}

/** A buyer's process; it does one job after the other, as it is installed, not from the packages' sources. */
export async function startClient(
  make: 'our' | 'our-channel' | 'stock',
  environment: Readonly<Record<string, string>>,
) {
  const file = `${make}-client.ts`;
  const { PATH = '', HOME = '' } = process.env;
  const child = fork(fileURLToPath(new URL(`peers/${file}`, import.meta.url)), {
    execArgv: [],
    env: { PATH, HOME, NODE_ENV: 'production', ...environment },
    serialization: 'advanced',
  });
  const ended = new AbortController();
  const exited = once(child, 'exit').then(() => ended.abort(new Error(`${file} has ended`)));
  await once(child, 'message', { signal: ended.signal });
  return {
    pid: child.pid ?? 0,
    async run(job: ClientJob): Promise<LoadResult> {
      child.send(job);
      const [answer] = await once(child, 'message', { signal: ended.signal });
      if (typeof answer === 'string') throw new Error(`${file}: ${answer}`);
      return answer;
    },
    async stop(): Promise<void> {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
