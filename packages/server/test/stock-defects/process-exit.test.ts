import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import express from 'express';
import { paymentMiddleware } from '../../src/index.ts';
import { openBoth } from '../support/both-shops.ts';
import { account, pay, sponsor, withPayment } from '../support/payments.ts';
import {
  afterwards,
  eventually,
  facilitator,
  listen,
  offerAt,
  openShop,
  receiptIn,
  resources,
  route,
} from '../support/shop.ts';

const quiet = { onEvent: () => undefined };

/** A program that sells on a network that its facilitator does not serve, and is alive a moment after it was told. */
const program = (middleware: string, scheme: string): string => `
  import { createServer } from 'node:http';
  import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
  import { paymentMiddleware } from '${middleware}';
  import { ${scheme} as Scheme } from '${scheme === 'ExactAvmServer' ? '@avm402/avm' : '@x402/avm'}/exact/server';
  const kinds = [{ x402Version: 2, scheme: 'exact', network: '${ALGORAND_MAINNET}' }];
  const facilitator = createServer((q, s) => {
    s.end(JSON.stringify({ kinds, extensions: [], signers: {} }));
    setTimeout(() => { console.log('alive'); process.exit(0); }, 500);
  }).listen(0, () => {
    const url = 'http://127.0.0.1:' + facilitator.address().port;
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url })).register('algorand:*', new Scheme());
    const offer = { scheme: 'exact', price: '$0.01', network: '${ALGORAND_TESTNET}', payTo: '${account(1).address}' };
    paymentMiddleware({ 'GET /x': { accepts: offer } }, server);
  });
`;

async function run(source: string): Promise<{ status: number | null; output: string }> {
  const folder = await mkdtemp(fileURLToPath(new URL('../written-', import.meta.url)));
  afterwards(() => rm(folder, { recursive: true }));
  const file = join(folder, 'program.mjs');
  await writeFile(file, source);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
  });
  return { status, output: stdout + stderr };
}

describe('a facilitator that does not do what the server needs', () => {
  it('makes stock end the process of its app; ours says what is wrong, serves nothing unpaid, and lives', async () => {
    const stock = await run(program('@x402/express', 'ExactAvmScheme'));
    expect([stock.status, stock.output.includes('alive')]).toEqual([1, false]);
    const ours = await run(program('@avm402/server', 'ExactAvmServer'));
    expect(ours.status).toBe(0);
    expect(ours.output).toContain('alive');
    expect(ours.output).toContain(`no facilitator supports exact on ${ALGORAND_TESTNET}`);
  });

  it('ours rejects "ready" with it, so that an app that awaits it fails at its start, by name', async () => {
    const stub = await facilitator({ networks: [ALGORAND_MAINNET] });
    const { ready } = paymentMiddleware({ 'GET /report': route }, resources(stub), quiet);
    await expect(ready).rejects.toMatchObject({
      code: 'unsupported_network',
      message: expect.stringContaining('GET /report'),
    });
  });
});

describe('what the facilitator supports', () => {
  it('is asked once for ever by stock; ours asks again, and takes what is new', async () => {
    let now = Date.now();
    const { stock } = await openBoth();
    const ours = await openShop({ monotonicNow: () => now });
    const feePayerAt = async (url: string): Promise<unknown> =>
      (await offerAt(`${url}/report`)).accepts[0]?.extra['feePayer'];
    expect([await feePayerAt(ours.url), await feePayerAt(stock.url)]).toEqual([sponsor, sponsor]);
    for (const { stub } of [ours, stock]) stub.options = { ...stub.options, feePayer: account(4).address };
    now += 10 * 60_000;
    await eventually(() => feePayerAt(ours.url)).toBe(account(4).address);
    expect(await feePayerAt(stock.url)).toBe(sponsor);
  });

  it('can’t be had at first: 503, and the next request asks again', async () => {
    const stub = await facilitator();
    stub.onSupported = () => ({ status: 500, body: {} });
    let now = Date.now();
    const shop = await openShop({ stub, monotonicNow: () => now });
    expect((await fetch(`${shop.url}/report`)).status).toBe(503);
    stub.onSupported = () => undefined;
    now += 2000;
    expect((await fetch(`${shop.url}/report`)).status).toBe(402);
  });
});

describe('several URLs', () => {
  async function shopWith(...stubs: Awaited<ReturnType<typeof facilitator>>[]) {
    const app = express();
    app.use(paymentMiddleware({ 'GET /report': route }, resources(...stubs), quiet));
    app.get('/report', (_request, response) => void response.send('data'));
    return `${await listen(app)}/report`;
  }

  it('of one facilitator stand in for each other, also in the middle of a payment', async () => {
    const [one, two] = [await facilitator({ storeId: 'same' }), await facilitator({ storeId: 'same' })];
    const url = await shopWith(one, two);
    const buy = async (): Promise<Response> => fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    one.onVerify = () => 'cut';
    expect((await buy()).status).toBe(200);
    expect([one.settles().length, two.verifies().length]).toEqual([1, 1]);
    one.onSettle = () => ({ status: 503, body: {} });
    const response = await buy();
    expect([response.status, receiptIn(response)?.success]).toEqual([200, true]);
    expect(two.settles().map(({ idempotencyKey }) => idempotencyKey)).toEqual([one.settles().at(-1)?.idempotencyKey]);
  });

  it('one that is down from the start is not missed', async () => {
    const [one, two] = [await facilitator({ storeId: 'same' }), await facilitator({ storeId: 'same' })];
    await one.close();
    one.close = async () => undefined;
    const url = await shopWith(one, two);
    expect((await fetch(url, { headers: withPayment(pay(await offerAt(url))) })).status).toBe(200);
  });

  it('one that keeps failing is left alone for a while', async () => {
    const [one, two] = [await facilitator({ storeId: 'same' }), await facilitator({ storeId: 'same' })];
    const url = await shopWith(one, two);
    one.onVerify = () => 'cut';
    const offer = await offerAt(url);
    for (let count = 0; count < 8; count++) {
      one.onSettle = () => 'cut';
      expect((await fetch(url, { headers: withPayment(pay(offer)) })).status).toBe(200);
    }
    expect(one.verifies().length).toBeLessThan(6);
    expect(two.verifies()).toHaveLength(8);
  });

  it.each([
    ['differ', 'one', 'other'],
    ['are missing', undefined, undefined],
    ['is missing for one', 'one', undefined],
  ])('whose store ids %s fail at start, by name', async (_how, first, second) => {
    const stubs = [
      await facilitator(first === undefined ? {} : { storeId: first }),
      await facilitator(second === undefined ? {} : { storeId: second }),
    ];
    if (first === undefined) for (const stub of stubs) stub.options = { ...stub.options, storeId: '' };
    if (second === undefined && stubs[1]) stubs[1].options = { ...stubs[1].options, storeId: '' };
    const { ready } = paymentMiddleware({ 'GET /report': route }, resources(...stubs), quiet);
    await expect(ready).rejects.toMatchObject({
      code: 'facilitator_mismatch',
      message: expect.stringContaining(stubs[1]?.url ?? ''),
    });
  });

  it('must be https, but for loopback', () => {
    for (const url of ['http://facilitator.example', 'http://127.0.0.1.evil.example', 'ftp://127.0.0.1']) {
      expect(() => paymentMiddleware({ 'GET /report': route }, resources({ url }), quiet)).toThrow(
        expect.objectContaining({ code: 'facilitator_url_insecure' }),
      );
    }
    for (const url of ['https://facilitator.example', 'http://localhost:1', 'http://127.1.2.3:1', 'http://[::1]:1']) {
      expect(() => paymentMiddleware({ 'GET /report': route }, resources({ url }), quiet)).not.toThrow();
    }
  });
});
