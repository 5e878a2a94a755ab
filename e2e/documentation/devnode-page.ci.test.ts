import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { fencedBlocks } from './pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('the payment of docs/devnode/x402.md, in one process, is tested as it says', () => {
  const [example = ''] = fencedBlocks('docs/devnode/x402.md', 'ts');
  const file = fileURLToPath(new URL(`written-${process.pid}.test.ts`, import.meta.url));
  writeFileSync(file, example);
  try {
    const env = { ...process.env, NO_COLOR: '1' };
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', file];
    const run = spawnSync(process.execPath, vitest, { cwd: root, env, encoding: 'utf8' });
    expect([run.status, run.stdout]).toEqual([0, expect.stringMatching(/Tests +4 passed/)]);
  } finally {
    rmSync(file);
  }
});
