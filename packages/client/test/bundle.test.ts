import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** Bytes of a paying fetch for a page that has a wallet, minified and compressed. docs/client.md states it. */
const BUDGET = 70_000;

it('the client bundles for a browser, without anything of Node, within 70 kB', async () => {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { createPayingFetch, reportOf, settlementOf } from '@avm402/client'`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    conditions: ['@avm402/source'],
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  expect(imports.filter((path) => path.startsWith('node:'))).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length).toBeLessThan(BUDGET);
});
