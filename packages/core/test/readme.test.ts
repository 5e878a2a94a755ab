import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);

it('the README’s example prints what its comments say', () => {
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const run = ['--input-type=module-typescript', '--eval', code];
  const printed = execFileSync(process.execPath, run, { cwd: fileURLToPath(root), encoding: 'utf8' });
  const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
  expect(printed.trim().split('\n')).toEqual(promised);
  expect(promised).toHaveLength(2);
});
