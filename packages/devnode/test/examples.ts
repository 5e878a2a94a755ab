// Examples of pages, run as the files that a reader would make of them.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const IMPORT_ALL = 'for (const file of process.argv.slice(1)) await import(file)';

/** The examples of pages in one language, in order. */
export function examplesOf(language: string, ...pages: readonly string[]): string[] {
  const fence = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs');
  const blocks = pages.flatMap((page) => [...readFileSync(join(ROOT, page), 'utf8').matchAll(fence)]);
  return blocks.map(([, code = '']) => code);
}

/** Whether an example is a file of tests. */
export const isTest = (code: string): boolean => code.includes("from 'vitest'");

/** Runs files of tests, all by one Vitest; gives what it prints. Rejects when one fails. */
export function runTests(examples: readonly string[]): Promise<string> {
  return runFiles(examples, '.test.ts', [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run']);
}

/** Runs programs, one after another in one process; gives what they print. Rejects when one fails. */
export function runPrograms(examples: readonly string[]): Promise<string> {
  return runFiles(examples, '.ts', ['--input-type=module', '--eval', IMPORT_ALL]);
}

async function runFiles(examples: readonly string[], suffix: string, command: readonly string[]): Promise<string> {
  // What examples leave behind is removed with it.
  const folder = mkdtempSync(join(tmpdir(), 'devnode-examples-'));
  const files = examples.map((code, index) => {
    const file = join(import.meta.dirname, `written-${process.pid}-${index}${suffix}`);
    writeFileSync(file, code);
    return file;
  });
  try {
    const env = { ...process.env, NO_COLOR: '1', TMPDIR: folder };
    const { stdout } = await run(process.execPath, [...command, ...files], { cwd: ROOT, env });
    return stdout;
  } finally {
    for (const file of [...files, folder]) rmSync(file, { recursive: true });
  }
}
