import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';

const END = 'the program has ended';

/**
 * Writes each program into a file, which `fileOf` names by its number. Returns arguments with which one process of Node runs
 * them in turn.
 */
export function inTurn(codes: readonly string[], fileOf: (number: number) => string): string[] {
  const files = codes.map((code, number) => {
    writeFileSync(fileOf(number), code);
    return fileOf(number);
  });
  return ['--input-type=module', '--eval', 'for (const file of process.argv.slice(1)) await import(file);', ...files];
}

export interface Run {
  readonly fileOf: (number: number) => string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs programs in turn, each as a file of its own; returns what each printed. */
export function printedInTurn(codes: readonly string[], { fileOf, ...options }: Run): readonly string[] {
  const marked = codes.map((code) => `${code}\nconsole.log('${END}');\n`);
  const { stdout, stderr, status } = spawnSync(process.execPath, inTurn(marked, fileOf), {
    ...options,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split(`${END}\n`);
}
