import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules/.bin/tsc');

/** The code of each `@example` of a source file's doc comments. */
function examplesIn(source: string): string[] {
  const comments = readFileSync(join(root, source), 'utf8').matchAll(/\/\*\*.*?\*\//gs);
  return [...comments].flatMap(([comment]) => {
    const text = comment.replaceAll(/^ *\* ?/gm, '');
    return [...text.matchAll(/@example\n```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
  });
}

it('each example in a doc comment compiles as a user would write it', () => {
  const examples = globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap((source) =>
    examplesIn(source).map((code, index) => ({ name: `${source.slice(0, -'.ts'.length)}.${index}.ts`, code })),
  );
  expect(examples.length).toBeGreaterThan(0);
  // Within this package, which may import all others.
  const folder = mkdtempSync(join(root, 'e2e/node_modules/.examples-'));
  try {
    for (const { name, code } of examples) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    }
    const options = { rootDir: '.', noEmit: true, composite: false, tsBuildInfoFile: null, noUnusedLocals: false };
    const config = {
      extends: join(root, 'tsconfig.test.json'),
      compilerOptions: { ...options, customConditions: [] },
      include: ['**/*.ts'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
