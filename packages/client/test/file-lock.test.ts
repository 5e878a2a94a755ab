import { readFile, rm, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockFile } from '../src/journal/file-lock.ts';

/** Nothing here takes so long. */
const timeoutMs = 10_000;
/** Long enough for many signs of life. */
const WHILE_MS = 800;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avm402-lock-'));
  path = join(folder, 'journal.lock');
});
afterEach(() => rm(folder, { recursive: true }));

const inContainer = (place: string, beatMs = 20) => ({ place, beatMs, timeoutMs });
const locked = { code: 'journal_locked' };

it('a lock of another container is kept while it gives signs of life, however late the other one was started', async () => {
  const first = await lockFile(path, inContainer('a'));
  await expect(lockFile(path, { ...inContainer('b', 100), timeoutMs: WHILE_MS })).rejects.toMatchObject(locked);
  await first.assertHeld();
  await first.release();
});

it('a lock of another container that gives none any more is taken over', async () => {
  const left = await lockFile(path, inContainer('a'));
  const text = await readFile(path, 'utf8');
  await left.release();
  await writeFile(path, text);
  const next = await lockFile(path, inContainer('b'));
  expect(await readFile(path, 'utf8')).not.toBe(text);
  await next.release();
});

it('is taken over from one that gives none, however short the wait is meant to be', async () => {
  const left = await lockFile(path, inContainer('a'));
  const text = await readFile(path, 'utf8');
  await left.release();
  await writeFile(path, text);
  await (await lockFile(path, { ...inContainer('b'), timeoutMs: 0 })).release();
});

it('of two that take over from one that gives none, the slower one waits no longer than it was meant to', async () => {
  const left = await lockFile(path, inContainer('a'));
  const text = await readFile(path, 'utf8');
  await left.release();
  await writeFile(path, text);
  const both = await Promise.allSettled([0, 1].map(() => lockFile(path, { ...inContainer('b'), timeoutMs: WHILE_MS })));
  const [taken] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toMatchObject([locked]);
  await taken?.release();
});

it('whoever stood still while its lock was taken over learns so before it writes', async () => {
  const first = await lockFile(path, inContainer('a', 100));
  await rm(path);
  const second = await lockFile(path, inContainer('b'));
  await setTimeout(WHILE_MS);
  await expect(first.assertHeld()).rejects.toMatchObject(locked);
  await expect(first.release()).rejects.toMatchObject(locked);
  await second.release();
});
