import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');

it('every relative link of every page leads somewhere', () => {
  expect(pages.length).toBeGreaterThan(10);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target = '']) => ({ page, target }))
      .filter(({ target }) => !existsSync(join(root, dirname(page), target))),
  );
  expect(broken).toEqual([]);
});
