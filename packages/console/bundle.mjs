// Bundles the page's script and style into dist/files.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
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
});
