import { ExactAvmScheme } from '@x402/avm/exact/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware as stockMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware } from '../../src/index.ts';
import { quiet } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { facilitator, listen, offerAt, openShop, resources, route } from '../support/shop.ts';

describe('a guard that throws', () => {
  it('lets the payment through in stock', async () => {
    quiet();
    const stub = await facilitator();
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: stub.url }))
      .register('algorand:*', new ExactAvmScheme())
      .onBeforeVerify(() => Promise.reject(new Error('the block list can not be read')));
    const app = express();
    app.use(stockMiddleware({ 'GET /report': route }, server));
    app.get('/report', (_request, response) => void response.send('data'));
    const url = `${await listen(app)}/report`;
    expect((await fetch(url, { headers: withPayment(pay(await offerAt(url))) })).status).toBe(200);
  });

  it('keeps the payment out in ours: nothing runs, nothing is charged', async () => {
    const shop = await openShop({
      before: (app) => void app.set('env', 'test'),
      beforePayment: () => {
        throw new Error('the block list can not be read');
      },
    });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, shop.runs(), shop.stub.settles().length]).toEqual([500, 0, 0]);
  });

  it('that refuses answers 403 with its reason in ours', async () => {
    const seen: unknown[] = [];
    const shop = await openShop({
      beforePayment: ({ payer, requirements, context }) => {
        seen.push(payer, requirements.amount, context.path);
        return { refuse: 'not you' };
      },
    });
    const url = `${shop.url}/report`;
    const payment = pay(await offerAt(url));
    const response = await fetch(url, { headers: withPayment(payment) });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: 'payment_refused', message: 'not you' },
    ]);
    expect(seen).toEqual([expect.stringMatching(/^[A-Z2-7]{58}$/), '10000', '/report']);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([0, 0]);
  });

  it('as a hook of the stock server object fails our start, rather than being left out', async () => {
    const stub = await facilitator();
    const hooked = resources(stub).onBeforeSettle(async () => undefined);
    expect(() => paymentMiddleware({ 'GET /report': route }, hooked)).toThrow(
      expect.objectContaining({ code: 'resource_server_hooks', message: expect.stringContaining('beforeSettleHooks') }),
    );
    const extended = resources(stub).registerExtension({
      key: 'guard',
      hooks: { onBeforeVerify: async () => undefined },
    });
    expect(() => paymentMiddleware({ 'GET /report': route }, extended)).toThrow(/extension "guard"/);
  });
});
