import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readLineFile } from '../src/journal/line-file.ts';

const LINE = 1024 * 1024;

it('a file of lines that is longer than any text can be is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-lines-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'long.jsonl');
  const file = await open(path, 'w');
  // A hole takes no room on the disk.
  for (let end = 1; end <= 600; end++) await file.write('\n', end * LINE - 1);
  await file.close();
  const format = { name: 'file of lengths', encode: String, parse: (line: string) => line.length };
  expect(await readLineFile(path, format)).toEqual(Array.from({ length: 600 }, () => LINE - 1));
});
