import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import express from 'express';
import { type Served, served } from '../served.ts';

/** Serves a page whose only script is a file, bundled for browsers. */
export async function servePage(script: URL): Promise<Served> {
  const bundle = await build({
    entryPoints: [fileURLToPath(script)],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@avm402/source'],
    write: false,
  });
  const app = express();
  app.get(
    '/',
    (_request, response) => void response.type('html').send('<script type="module" src="/page.js"></script>'),
  );
  app.get('/page.js', (_request, response) => void response.type('js').send(bundle.outputFiles[0]?.text));
  return served(app);
}
