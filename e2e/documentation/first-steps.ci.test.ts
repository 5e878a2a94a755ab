import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { fencedBlocks } from './pages.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

it('docs/start.md: what tests passes', () => {
  const [, , tests = ''] = fencedBlocks('docs/start.md', 'ts');
  const folder = mkdtempSync(join(here, 'written-'));
  try {
    writeFileSync(join(folder, 'gift.test.ts'), tests);
    const args = ['run', '--root', root, '--config', join(root, 'vitest.config.ts'), join(folder, 'gift.test.ts')];
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/vitest'), args, { encoding: 'utf8' });
    expect({ status, stdout }).toMatchObject({ status: 0 });
    expect(stdout).toContain('1 passed');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
