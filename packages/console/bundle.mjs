// Bundles the page's script and style into dist/files.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeBundle } from '../../tools/write-bundle.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const { outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: ['src/page/main.tsx', 'src/page/main.css'],
  outdir: 'dist/files',
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  conditions: ['@avm402/source'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
  write: false,
});
writeBundle(join(here, 'dist', 'files'), outputFiles);
