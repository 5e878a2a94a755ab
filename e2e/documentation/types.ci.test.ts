import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { fencedBlocks, PAYING_PAGES } from './pages.ts';

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

/** Type-checks programs as users write them, which see the declarations of the packages. */
function compiled(programs: readonly { readonly name: string; readonly code: string }[]): string {
  // Within this package, which may import all others.
  const folder = mkdtempSync(join(root, 'e2e/node_modules/.examples-'));
  try {
    for (const { name, code } of programs) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    }
    const options = { rootDir: '.', noEmit: true, composite: false, tsBuildInfoFile: null, noUnusedLocals: false };
    const config = {
      extends: join(root, 'tsconfig.test.json'),
      compilerOptions: { ...options, customConditions: [] },
      files: [],
      include: ['**/*.ts'],
      exclude: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('each example in a doc comment compiles as a user would write it', () => {
  const examples = globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap((source) =>
    examplesIn(source).map((code, index) => ({ name: `${source.slice(0, -'.ts'.length)}.${index}.ts`, code })),
  );
  expect(examples.length).toBeGreaterThan(0);
  expect(compiled(examples)).toBe('');
});

it('so does each program of the pages about paying', () => {
  const programs = PAYING_PAGES.flatMap((page) =>
    fencedBlocks(page, 'ts').map((code, index) => ({ name: `${page}.${index}.ts`, code })),
  );
  expect(programs.length).toBeGreaterThan(PAYING_PAGES.length);
  expect(compiled(programs)).toBe('');
});
