import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const PACKAGE = new URL('../../dist/index.js', import.meta.url).href;

/** Logs more than is kept while standard error takes nothing, opens it anew, and logs on. */
const PROGRAM = `
  import { closeSync, openSync } from 'node:fs';
  import { setTimeout as passed } from 'node:timers/promises';
  const { createLog } = await import(process.env.PACKAGE);
  const log = createLog({ level: 'info' });
  closeSync(2);
  // The short ones fill what the long ones have left.
  for (const length of [1_000, 0]) for (let line = 0; line < 2_000; line++) log.info({}, 'x'.repeat(length));
  await passed(20);
  openSync(process.env.LOG, 'a');
  for (const message of ['the first line', 'the second line']) await passed(20, log.info({}, message));
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

/** Logs more than a pipe holds and than is kept, and says that it goes on. */
const UNREAD = `
  const { createLog } = await import(process.env.PACKAGE);
  const log = createLog({ level: 'info' });
  for (let line = 0; line < 2_000; line++) log.info({}, 'x'.repeat(1_000));
  setTimeout(() => console.log('goes on'), 10);
`;

it('stops no work while nobody reads its lines', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', UNREAD], { env: { PACKAGE }, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(String(line)).toBe('goes on\n');
  child.stderr.resume();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
