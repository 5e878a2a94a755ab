import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';

const PACKAGE = new URL('../../dist/index.js', import.meta.url).href;

/** Logs more than is kept while standard error takes nothing, opens it anew, and logs on. */
const PROGRAM = `
  import { closeSync, openSync } from 'node:fs';
  const { createLog } = await import(process.env.PACKAGE);
  const log = createLog({ level: 'info' });
  closeSync(2);
  // The short ones fill what the long ones have left.
  for (const length of [1_000, 0]) for (let line = 0; line < 2_000; line++) log.info({}, 'x'.repeat(length));
  openSync(process.env.LOG, 'a');
  for (const message of ['the first line', 'the second line']) log.info({}, message);
`;

it('goes on when its lines can be written again, however many were lost, as after a full disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'log');
  const env = { PACKAGE, LOG: file };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], { env, stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await readFile(file, 'utf8')).toContain('the second line');
});

/** Logs more than a pipe holds and than is kept, says that it goes on, and ends when it is told to. */
const UNREAD = `
  const { createLog } = await import(process.env.PACKAGE);
  const log = createLog({ level: 'info' });
  for (let line = 0; line < 2_000; line++) log.info({}, 'x'.repeat(1_000));
  console.log('goes on');
  process.stdin.resume();
`;

it('stops no work while nobody reads its lines, and keeps a megabyte of them for a reader that comes back', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', UNREAD], { env: { PACKAGE }, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(String((await once(child.stdout, 'data'))[0])).toBe('goes on\n');
  let log = '';
  child.stderr.on('data', (text: Buffer) => (log += text.toString()));
  await eventually(() => log.length > 1_000_000);
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
  for (const line of log.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 30 });
});
