import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('the README’s example prints what its comments say', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  const file = fileURLToPath(new URL('./readme-example.generated.ts', import.meta.url));
  writeFileSync(file, code);
  try {
    const printed = execFileSync(process.execPath, ['--conditions=@avm402/source', file], { encoding: 'utf8' });
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(printed.trim().split('\n')).toEqual(promised);
    expect(promised).toHaveLength(2);
  } finally {
    rmSync(file, { force: true });
  }
});
