// Bundles the page's script and style into dist/files: the entry is small, and loads what pays when it is asked to.
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const files = join(here, 'dist', 'files');
/** Wallets of use-wallet that the page doesn't offer: their libraries are never asked for. */
const NOT_OFFERED = ['@walletconnect/modal', '@walletconnect/sign-client', '@web3auth/*', '@magic-ext/*', 'magic-sdk'];

rmSync(files, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ['src/page/main.ts', 'src/page/page.css', 'src/page/content.html'],
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
});
const entries = Object.entries(metafile.outputs).flatMap(([output, { entryPoint, inputs }]) => {
  const source = entryPoint ?? (output.endsWith('.html') ? Object.keys(inputs)[0] : undefined);
  return source?.startsWith('src/page/') && !isLazy(source) ? [[basename(source), basename(output)]] : [];
});
writeFileSync(join(files, 'entries.json'), `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);

function isLazy(source) {
  return !['main.ts', 'page.css', 'content.html'].includes(basename(source));
}
