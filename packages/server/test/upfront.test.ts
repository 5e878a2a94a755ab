import { randomBytes } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore } from '../src/index.ts';
import { settleOnce } from './support/facilitator-stub.ts';
import { pay, withPayment } from './support/payments.ts';
import { answerInTheEnd, eventually, offer, offerAt, offerIn, openShop, receiptIn, route } from './support/shop.ts';

const upfront = { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } };
const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;

const open = (handler: RequestHandler) =>
  openShop({ routes: { 'GET /report': upfront }, handlers: (app) => void app.get('/report', handler) });

/** Leaves a connection open for ever after an answer. */
const keptAlive: RequestHandler = ({ socket }, _response, next) => {
  const { server } = socket as unknown as { readonly server: Server };
  server.keepAliveTimeout = 0;
  next();
};

describe('a route that is paid up front', () => {
  it('says so in its offer, settles first and then runs the handler', async () => {
    const order: string[] = [];
    const shop = await open((_q, response) => {
      order.push('handler');
      response.send('data');
    });
    shop.stub.onSettle = () => {
      order.push('settle');
      return undefined;
    };
    const required = await offerAt(`${shop.url}/report`);
    expect(required.accepts[0]?.extra).toMatchObject({ paymentFlow: 'upfront' });
    const response = await fetch(`${shop.url}/report`, { headers: withPayment(pay(required)) });
    expect([response.status, await response.text(), order]).toEqual([200, 'data', ['settle', 'handler']]);
    expect(receiptIn(response)?.success).toBe(true);
    expect(response.headers.get('cache-control')).toBe('private');
    expect(response.headers.get('vary')).toContain('PAYMENT-SIGNATURE');
  });

  it('streams events as they come', async () => {
    const shop = await open((_q, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      response.write('data: first\n\n');
    });
    const response = await fetch(`${shop.url}/report`, {
      headers: withPayment(pay(await offerAt(`${shop.url}/report`))),
    });
    expect(receiptIn(response)?.success).toBe(true);
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe('data: first\n\n');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
  });

  it('takes no room for what its handler writes once its buyer has left', async () => {
    const store = createMemoryRedemptionStore();
    const streams: ServerResponse[] = [];
    const shop = await openShop({
      store,
      maxHeldBytesInTotal: 100,
      routes: { 'GET /stream': upfront, 'GET /report': route },
      handlers: (app) => {
        app.get('/stream', (_request, response) => {
          streams.push(response);
          response.write('first');
        });
        app.get('/report', (_request, response) => void response.send('r'.repeat(90)));
      },
    });
    const [url, other] = [`${shop.url}/stream`, `${shop.url}/report`];
    const client = new AbortController();
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const txId = receiptIn(await fetch(url, { headers, signal: client.signal }))?.transaction ?? '';
    client.abort();
    await eventually(() => streams[0]?.closed).toBe(true);
    streams[0]?.write('second');
    await eventually(async () => (await store.get(txId))?.held).toBe(false);
    streams[0]?.write('l'.repeat(90));
    expect((await fetch(other, { headers: withPayment(pay(await offerAt(other))) })).status).toBe(200);
  });

  it('does not run the handler when settlement is refused', async () => {
    const shop = await openShop({ routes: { 'GET /report': upfront } });
    shop.stub.onSettle = ({ txId }) => ({
      body: { success: false, errorReason: 'settlement_rejected', transaction: txId, network: '' },
    });
    const response = await fetch(`${shop.url}/report`, {
      headers: withPayment(pay(await offerAt(`${shop.url}/report`))),
    });
    expect([response.status, offerIn(response).error, shop.runs()]).toEqual([402, 'settlement_rejected', 0]);
  });

  it('gives a failed handler’s answer with the receipt, and runs it again for its buyer, three times at most', async () => {
    let runs = 0;
    const shop = await open((_q, response) => {
      runs++;
      response.status(500).send('failed');
    });
    const headers = withPayment(pay(await offerAt(`${shop.url}/report`), { paymentId: newId() }));
    for (let attempt = 1; attempt <= 3; attempt++) {
      const response = await fetch(`${shop.url}/report`, { headers });
      expect([response.status, receiptIn(response)?.success, runs]).toEqual([500, true, attempt]);
    }
    const last = await fetch(`${shop.url}/report`, { headers });
    expect([last.status, receiptIn(last)?.success, runs]).toEqual([402, true, 3]);
    expect(shop.stub.settles()).toHaveLength(1);
  });

  it.each([
    ['nobody got its request', { status: 401, body: { error: 'unauthorized' } }, 503],
    [
      'it was refused',
      { body: { success: false, errorReason: 'settlement_failed', transaction: '', network: '' } },
      402,
    ],
  ])('counts no attempt at settlement as a run: %s three times, then it is interrupted', async (_what, no, status) => {
    const shop = await openShop({ routes: { 'GET /report': upfront }, settleTimeoutMs: 400 });
    const headers = withPayment(pay(await offerAt(`${shop.url}/report`), { paymentId: newId() }));
    shop.stub.onSettle = () => no;
    for (const _time of [1, 2, 3])
      await eventually(async () => (await fetch(`${shop.url}/report`, { headers })).status).toBe(status);
    shop.stub.onSettle = (call) => {
      settleOnce(shop.stub, call);
      return 'cut';
    };
    expect((await fetch(`${shop.url}/report`, { headers })).status).toBe(503);
    shop.stub.onSettle = () => undefined;
    const collected = await answerInTheEnd(`${shop.url}/report`, { headers });
    expect([collected.status, await collected.text(), shop.runs()]).toEqual([200, '{"report":1}', 1]);
  });

  it.each([
    ['without a reason', undefined],
    ['for an error', new Error('its source failed')],
  ])(
    'keeps a small answer for the buyer who comes back, and delivers one again that broke off %s',
    async (_why, error) => {
      let runs = 0;
      const shop = await open((_q, response) => {
        runs++;
        response.write('some of it', () => {
          if (runs === 1) response.destroy(error);
          else response.end(' and the rest');
        });
      });
      const headers = withPayment(pay(await offerAt(`${shop.url}/report`), { paymentId: newId() }));
      await expect(fetch(`${shop.url}/report`, { headers }).then((response) => response.text())).rejects.toThrow(
        TypeError,
      );
      const texts = [
        await (await fetch(`${shop.url}/report`, { headers })).text(),
        await (await fetch(`${shop.url}/report`, { headers })).text(),
      ];
      expect(texts).toEqual(['some of it and the rest', 'some of it and the rest']);
      expect([runs, shop.stub.settles().length]).toEqual([2, 1]);
    },
  );

  it('breaks off what its handler has cut off before its length, however long connections live, and tells the seller', async () => {
    const failed: unknown[] = [];
    const shop = await openShop({
      routes: { 'GET /report': upfront },
      handlers: (app) => void app.get('/report', (_q, response) => void response.set('Content-Length', '9').end('all')),
      before: (app) => void app.use(keptAlive),
      onEvent: ({ error }) => error !== undefined && failed.push(error),
    });
    const headers = withPayment(pay(await offerAt(`${shop.url}/report`), { paymentId: newId() }));
    await expect(fetch(`${shop.url}/report`, { headers }).then((answer) => answer.text())).rejects.toThrow(TypeError);
    await eventually(() => failed).toEqual([expect.objectContaining({ code: 'response_not_settleable' })]);
  });

  it('does not serve the same payment twice to somebody without its id', async () => {
    const shop = await openShop({ routes: { 'GET /report': upfront } });
    const headers = withPayment(pay(await offerAt(`${shop.url}/report`)));
    expect((await fetch(`${shop.url}/report`, { headers })).status).toBe(200);
    const again = await fetch(`${shop.url}/report`, { headers });
    expect([again.status, offerIn(again).error, shop.runs()]).toEqual([402, 'duplicate_payment', 1]);
  });
});
