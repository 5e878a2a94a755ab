import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import express from 'express';

/** A running server, and where it is. */
export interface Listening {
  readonly server: Server;
  readonly url: string;
}

export async function listen(app: express.Express): Promise<Listening> {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Serves a page whose only script is a file, bundled for browsers. */
export async function servePage(script: URL): Promise<Listening> {
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
  return listen(app);
}
