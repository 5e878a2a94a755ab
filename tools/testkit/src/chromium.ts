import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sparticuz from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

/** Where Chromium is unpacked, once for all tests of this checkout. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.cache/chromium', import.meta.url));
const TESTKIT = fileURLToPath(new URL('..', import.meta.url));
const UNPACK = `import sparticuz from '@sparticuz/chromium'; await sparticuz.executablePath();`;

/** Chromium with the rules about origins that every user's has. `rebound`: a name that leads to this machine. */
export async function launchChromium({ rebound }: { readonly rebound?: string } = {}): Promise<Browser> {
  // The package's usual arguments switch these rules off; in a single process, contexts share what pages store.
  const unusual = ['web-security', 'insecure', 'single-process'];
  // They imitate a GPU, which takes a quarter of the time of a test.
  const imitation = ['gpu', 'use-gl', 'angle', 'swiftshader'];
  const args = sparticuz.args.filter((arg) => ![...unusual, ...imitation].some((part) => arg.includes(part)));
  args.push('--disable-gpu');
  if (rebound !== undefined) args.push(`--host-resolver-rules=MAP ${rebound} 127.0.0.1`);
  return chromium.launch({ executablePath: await unpackChromium(FOLDER), args });
}

/**
 * Unpacks Chromium into a folder, unless it is there, and returns the program's path. The package unpacks into the
 * temporary folder, and there takes a file that another process is still writing for a whole one. Here each process
 * unpacks into a folder of its own, and the first that has finished gives it its name.
 */
export async function unpackChromium(folder: string): Promise<string> {
  const program = join(folder, 'chromium');
  if (existsSync(program)) return program;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  const options = { cwd: TESTKIT, env: { ...process.env, TMPDIR: unfinished } };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], options);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    if (!existsSync(program)) throw error;
    await rm(unfinished, { recursive: true });
  });
  return program;
}
