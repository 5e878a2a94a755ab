import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { resultFiles } from '../report/results.ts';

it('RESULTS.md and its plots are what the committed samples say; npm run bench -- --report writes them', async () => {
  for (const [name, text] of await resultFiles()) {
    expect(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'), name).toBe(text);
  }
});
