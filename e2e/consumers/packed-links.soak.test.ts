import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, inject, it } from 'vitest';

const folder = inject('tarballs');

function tar(tarball: string, ...args: readonly string[]): string {
  return execFileSync('tar', [...args.slice(0, 1), join(folder, tarball), ...args.slice(1)], { encoding: 'utf8' });
}

/** The relative links of a tarball's top pages that lead to no file of the same tarball. */
function deadLinks(tarball: string): string[] {
  const files = tar(tarball, '-tzf').trim().split('\n');
  const pages = files.filter((file) => /^package\/(?:[^/]+\.md|llms[^/]*\.txt)$/.test(file));
  expect(pages).toContain('package/README.md');
  return pages.flatMap((page) =>
    [...tar(tarball, '-xOzf', page).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !files.includes(posix.join(posix.dirname(page), target)))
      .map((target) => `${tarball} ${page}: ${target}`),
  );
}

it('every relative link of a packed page leads to a file of the same tarball', () => {
  const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  expect(tarballs).toHaveLength(12);
  expect(tarballs.flatMap(deadLinks)).toEqual([]);
});
