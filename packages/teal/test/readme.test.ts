import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');

it('the README’s example prints what its comments say', () => {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const run = ['--input-type=module-typescript', '--eval', code];
  const printed = execFileSync(process.execPath, run, { cwd: fileURLToPath(root), encoding: 'utf8' });
  const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
  expect(printed.trim().split('\n')).toEqual(promised);
  expect(promised).toHaveLength(5);
});

it('the README lists every entry point', () => {
  const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { exports: object };
  const listed = [...readme.matchAll(/^\| `(\/[a-z\d-]+)`/gm)].map(([, name]) => `.${name}`);
  expect(listed.toSorted()).toEqual(
    Object.keys(exports)
      .filter((name) => name !== './package.json')
      .toSorted(),
  );
});
