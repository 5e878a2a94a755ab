// Bundles the page's script and style into dist/files: the entry is small, and loads what pays when it is asked to.
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeBundle } from '../../tools/write-bundle.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const files = join(here, 'dist', 'files');
/** What the seller's answer names; the rest is loaded by these. */
const ENTRIES = ['src/page/main.ts', 'src/page/page.css', 'src/page/content.html'];
/** Wallets of use-wallet that the page doesn't offer: their libraries are never asked for. */
const NOT_OFFERED = ['@walletconnect/modal', '@walletconnect/sign-client', '@web3auth/*', '@magic-ext/*', 'magic-sdk'];

const { metafile, outputFiles } = await build({
  absWorkingDir: here,
  entryPoints: ENTRIES,
  outdir: files,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  conditions: ['@avm402/source'],
  external: NOT_OFFERED,
  loader: { '.html': 'copy' },
  // Two of the wallets' libraries were written for Node's globals.
  define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
  metafile: true,
  logLevel: 'warning',
  write: false,
});
const entries = Object.entries(metafile.outputs).flatMap(([output, { entryPoint, inputs }]) => {
  const source = entryPoint ?? (output.endsWith('.html') ? Object.keys(inputs)[0] : undefined);
  return ENTRIES.includes(source) ? [[basename(source), basename(output)]] : [];
});
const contents = Buffer.from(`${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
writeBundle(files, [...outputFiles, { path: join(files, 'entries.json'), contents }]);
