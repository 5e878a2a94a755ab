import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { shownCommands } from './pages.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const shown = shownCommands('docs/first-payment.md');

/** The output that docs/first-payment.md shows for the command that begins so. */
export function shownOutput(start: string): { readonly command: string; readonly output: readonly string[] } {
  const found = shown.find(({ command }) => command.startsWith(start));
  if (!found) throw new Error(`docs/first-payment.md shows no ${start}`);
  return found;
}

/** Runs a shown command in the repository; returns what a terminal would show. */
export function run(command: string, environment: Readonly<Record<string, string>> = {}): string {
  const { stdout, status } = spawnSync('bash', ['-c', `{ ${command}\n} 2>&1`], {
    cwd: root,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect({ command, status, stdout }).toMatchObject({ status: 0 });
  return stdout;
}
