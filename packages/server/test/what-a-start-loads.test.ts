import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { offer } from './support/shop.ts';

// A seller of one route has asked its facilitator. What Node loads by itself is listed under its own names.
const PROGRAM = `
  import { ExactAvmServer } from '@avm402/avm/exact/server';
  import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
  const loaded = () => process.moduleLoadList.filter((name) => name.startsWith('NativeModule'));
  const { createServer } = process.getBuiltinModule('node:http');
  const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=';
  const kinds = [{ x402Version: 2, scheme: 'exact', network }];
  const supported = JSON.stringify({ kinds, extensions: [], signers: {} });
  const facilitator = createServer((_, response) => response.end(supported)).listen(0, '127.0.0.1', async () => {
    const url = 'http://127.0.0.1:' + facilitator.address().port;
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url })).register(network, new ExactAvmServer());
    const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.argv[1] };
    await paymentMiddleware({ 'GET /weather': { accepts } }, server).ready;
    const atStart = loaded();
    await fetch('data:,');
    console.log(JSON.stringify({ atStart, later: loaded() }));
    process.exit();
  });
`;

// A seller of one route by `exact` starts, asks for a payment, and has loaded what serves that payment.
const FILES = `
  import { registerHooks } from 'node:module';
  const files = new Set();
  const resolve = (specifier, context, next) => {
    const found = next(specifier, context);
    files.add(found.url);
    return found;
  };
  registerHooks({ resolve });
  const { createSeller } = await import('@avm402/server');
  const { default: express } = await import('express');
  const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=';
  const kinds = [{ x402Version: 2, scheme: 'exact', network }];
  const never = async () => { throw new Error('nobody pays'); };
  const facilitator = { verify: never, settle: never, getSupported: async () => ({ kinds, extensions: [], signers: {} }) };
  const payments = createSeller({ facilitator }).middleware({
    'GET /weather': { accepts: { scheme: 'exact', price: '$0.01', network, payTo: process.argv[1] } },
  });
  await payments.ready;
  const atStart = [...files];
  const app = express().use(payments).listen(0, '127.0.0.1', async () => {
    const { status } = await fetch('http://127.0.0.1:' + app.address().port + '/weather');
    while (![...files].some((name) => name.endsWith('ed25519.ts'))) await new Promise(setImmediate);
    console.log(JSON.stringify({ status, atStart, later: [...files] }));
    process.exit();
  });
`;

it('a seller of one price starts without what serves payments, and loads that of its scheme when it asks for one', async () => {
  const node = ['--conditions=@avm402/source', '--input-type=module', '--eval', FILES, offer.payTo];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: new URL('..', import.meta.url) });
  const { status, atStart, later } = JSON.parse(stdout) as { status: number; atStart: string[]; later: string[] };
  expect(status).toBe(402);
  const needless =
    /@noble\/curves|\/ed25519\.ts|\/avm\/src\/signing\/|\/checks\/|\/server\/src\/(?:flows\/|run\/held-run)|\/channels\/record\//;
  expect(atStart.filter((name) => needless.test(name))).toEqual([]);
  expect(later.filter((name) => /\/channels\/record\/|serve-upto/.test(name))).toEqual([]);
  expect(later.filter((name) => name.endsWith('/schemes/serve-exact.ts'))).toHaveLength(1);
});

it('a start loads neither the fetch of Node nor TLS, if the facilitator is asked without it', async () => {
  const node = ['--input-type=module', '--eval', PROGRAM, offer.payTo];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: new URL('..', import.meta.url) });
  const { atStart, later } = JSON.parse(stdout) as Record<'atStart' | 'later', string[]>;
  expect(atStart).toContain('NativeModule http');
  for (const name of ['NativeModule internal/deps/undici/undici', 'NativeModule tls']) {
    expect(atStart).not.toContain(name);
    expect(later).toContain(name);
  }
});
