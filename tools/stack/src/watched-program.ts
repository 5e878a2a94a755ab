import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endProcess } from './end-process.ts';

export interface WatchedProgramOptions {
  /** A JavaScript or TypeScript file with its arguments, after node's own options. */
  readonly command: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** A change of a file in or below one of these folders restarts the program. */
  readonly folders: readonly string[];
  /** How a line that it writes to standard error is shown. Default: as it is. */
  readonly shownAs?: (line: string) => string;
}

/** Changes that come together, as in a save by rename, count as one. */
const SETTLE_MS = 100;
const KILL_AFTER_MS = 5_000;

/** Runs a program, and restarts it after each change of its sources, until the signal aborts. */
export async function runWatched(options: WatchedProgramOptions, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const changed = nextChange(options.folders, stopped);
    const child = start(options);
    child.once('exit', (code) => {
      if (code) console.error(`exited with ${code}; the next change of a source file starts it again`);
    });
    await changed;
    await endProcess(child, KILL_AFTER_MS);
  }
}

function start({ command, environment: env, shownAs }: WatchedProgramOptions): ChildProcess {
  if (shownAs === undefined) return spawn(process.execPath, command, { env, stdio: 'inherit' });
  const child = spawn(process.execPath, command, { env, stdio: ['inherit', 'inherit', 'pipe'] });
  createInterface({ input: child.stderr }).on('line', (line) => console.error(shownAs(line)));
  return child;
}

/**
 * Resolves when a file changes, or when the signal aborts. It watches folders, not files, because an editor that saves
 * by rename replaces the watched file with a new one.
 */
function nextChange(roots: readonly string[], stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (): void => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', finish);
      for (const watcher of watchers) watcher.close();
      resolve();
    };
    const watchers = roots.flatMap(foldersIn).map((folder) =>
      watch(folder, () => {
        timer ??= setTimeout(finish, SETTLE_MS);
      }),
    );
    stopped.addEventListener('abort', finish);
  });
}

function foldersIn(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return [
    root,
    ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  ];
}
