import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import sparticuz from '@sparticuz/chromium';
import { build } from 'esbuild';
import express from 'express';
import { chromium, type Browser } from 'playwright-core';

/** Chromium with the rules about origins that every user's has. `rebound`: a name that leads to this machine. */
export async function launchChromium({ rebound }: { readonly rebound?: string } = {}): Promise<Browser> {
  // The package's usual arguments switch these rules off; in a single process, contexts share what pages store.
  const unusual = ['web-security', 'insecure', 'single-process'];
  const args = sparticuz.args.filter((arg) => !unusual.some((part) => arg.includes(part)));
  if (rebound !== undefined) args.push(`--host-resolver-rules=MAP ${rebound} 127.0.0.1`);
  return chromium.launch({ executablePath: await sparticuz.executablePath(), args });
}

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
