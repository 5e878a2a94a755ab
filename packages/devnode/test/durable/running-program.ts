// The program avm402-devnode in a process of its own, which can be killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = join(import.meta.dirname, '../../bin/avm402-devnode.js');
const LISTENING = /^avm402-devnode listening on (http:\/\/127\.0\.0\.1:\d+)$/m;

export interface RunningProgram {
  /** Resolves with the origin when it listens; undefined if it ended before. */
  readonly listening: Promise<string | undefined>;
  /** Kills it, and resolves with the signal that ended it and with what it said on stderr. */
  kill(): Promise<{ readonly signal: string | null; readonly said: string }>;
}

export function startProgram(...args: readonly string[]): RunningProgram {
  return startCommand(process.execPath, PROGRAM, ...args);
}

/** The same by a Node and from files of the caller's choice. */
export function startCommand(command: string, ...args: readonly string[]): RunningProgram {
  const program = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(program.stderr);
  const exit = once(program, 'exit');
  let printed = '';
  const listening = new Promise<string | undefined>((resolve) => {
    program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const url = LISTENING.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
    program.once('exit', () => resolve(undefined));
  });
  return {
    listening,
    async kill() {
      program.kill('SIGKILL');
      const [, signal] = (await exit) as [number | null, string | null];
      return { signal, said: await said };
    },
  };
}
