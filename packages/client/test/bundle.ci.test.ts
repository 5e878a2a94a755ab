import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** Compressed bytes that a page loads before it pays; docs/client.md states them. */
const BUDGET = 78_000;
const WALLET_BUDGET = 59_000;
/** What it loads besides, once it pays through a channel (21 kB), by a mandate (4 kB) or up to a maximum (2 kB), or records spans (2 kB). */
const LATER_BUDGET = 31_000;

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Bundles a page's code for a browser as bundlers do by default: minified, and split where code is imported later. */
async function bundle(contents: string): Promise<{ readonly first: number; readonly later: number }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    absWorkingDir: folder,
    outdir: 'page',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    conditions: ['@avm402/source'],
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  expect(imports.filter((path) => path.startsWith('node:'))).toEqual([]);
  const loaded = loadedBy('page/stdin.js', metafile.outputs);
  const sizes = { first: 0, later: 0 };
  for (const [path, { length }] of outputFiles.map((file) => [file.path, gzipSync(file.contents)] as const)) {
    sizes[[...loaded].some((name) => resolve(folder, name) === path) ? 'first' : 'later'] += length;
  }
  return sizes;
}

type Outputs = Awaited<ReturnType<typeof build<{ metafile: true }>>>['metafile']['outputs'];

/** An output and what it imports at once. */
function loadedBy(name: string, outputs: Outputs): Set<string> {
  const loaded = new Set([name]);
  for (const found of loaded) {
    for (const { path, kind } of outputs[found]?.imports ?? []) if (kind === 'import-statement') loaded.add(path);
  }
  return loaded;
}

it("the README's ten lines load at most 78 kB in a browser, and nothing of Node", async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const tenLines = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(tenLines).toContain('createPayingFetch');
  expect((await bundle(tenLines)).first).toBeLessThan(BUDGET);
});

it('a page with a wallet loads at most 59 kB, and 31 more when it pays in every way and records spans', async () => {
  const { first, later } = await bundle(`export { createPayingFetch, reportOf, settlementOf } from '@avm402/client'`);
  expect(first).toBeLessThan(WALLET_BUDGET);
  expect(later).toBeGreaterThan(1_000);
  expect(later).toBeLessThan(LATER_BUDGET);
});
