import { setTimeout } from 'node:timers/promises';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware } from '../src/index.ts';
import { pay, withPayment } from './support/payments.ts';
import { eventually, facilitator, listen, offerAt, openShop, receiptIn, route } from './support/shop.ts';

describe('a facilitator that keeps silent in its own way', () => {
  it('because createAuthHeaders never ends: the request is answered in time, and nothing is charged', async () => {
    const stub = await facilitator();
    let isSilent = false;
    const createAuthHeaders = async () =>
      isSilent ? new Promise<never>(() => {}) : { verify: {}, settle: {}, supported: {} };
    const client = new HTTPFacilitatorClient({ url: stub.url, createAuthHeaders });
    const server = new x402ResourceServer(client).register('algorand:*', new ExactAvmServer());
    const options = { settleTimeoutMs: 100, onEvent: () => undefined };
    const app = express().use(paymentMiddleware({ 'GET /report': route }, server, options));
    app.get('/report', (_request, response) => void response.send('data'));
    const url = `${await listen(app)}/report`;
    stub.onVerify = () => {
      isSilent = true;
      return undefined;
    };
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, await response.json()]).toMatchObject([503, { error: 'facilitator_unreachable' }]);
    expect(stub.settles()).toHaveLength(0);
  });

  it('because it answers 101: the outcome is unknown, and the request is answered', async () => {
    const shop = await openShop({ settleTimeoutMs: 100 });
    const url = `${shop.url}/report`;
    shop.stub.onSettle = () => ({ status: 101, headers: { connection: 'upgrade', upgrade: 'x' }, body: '' });
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
  });

  it('is asked in turn what became of an open payment, however many copies of that payment come', async () => {
    const shop = await openShop({ settleTimeoutMs: 100, maxVerifications: 1 });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url)));
    shop.stub.onSettle = () => 'cut';
    expect((await fetch(url, { headers })).status).toBe(503);
    let asked = 0;
    shop.stub.onSettlement = () => (asked++, 'hang');
    const leave = new AbortController();
    const copies = [1, 2, 3, 4].map(() => fetch(url, { headers, signal: leave.signal }).catch(() => undefined));
    await eventually(() => asked).toBe(1);
    await setTimeout(200);
    expect(asked).toBe(1);
    leave.abort();
    await Promise.all(copies);
  });
});
