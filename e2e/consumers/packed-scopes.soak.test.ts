import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';

const folder = inject('tarballs');

it.each(readdirSync(folder).filter((file) => file.endsWith('.tgz')))(
  'Node and bundlers read a short package.json beside the compiled files of %s, which says what its own says',
  (tarball) => {
    const read = (file: string): Record<string, unknown> =>
      JSON.parse(execFileSync('tar', ['-xOzf', join(folder, tarball), `package/${file}`], { encoding: 'utf8' }));
    const { type, sideEffects } = read('package.json');
    expect(read('dist/package.json')).toEqual({ type, sideEffects });
  },
);
