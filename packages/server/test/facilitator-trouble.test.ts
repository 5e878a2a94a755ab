import { ExactAvmServer } from '@avm402/avm/exact/server';
import { X402Error } from '@avm402/core/errors';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type FacilitatorClient, x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { expect, it } from 'vitest';
import { type PaymentEvent, paymentMiddleware } from '../src/index.ts';
import { pay, sponsor, withPayment } from './support/payments.ts';
import { listen, offerAt, openShop, route } from './support/shop.ts';

it.each([
  ['sponsor_unfunded', 'sponsor_unfunded'],
  ['store_unavailable', 'facilitator_unreachable'],
])('a facilitator’s trouble (%s) is named to the seller; the buyer is told %s', async (trouble, told) => {
  const events: PaymentEvent[] = [];
  const shop = await openShop({ onEvent: (event) => void events.push(event) });
  shop.stub.onVerify = () => ({ status: 503, body: { error: trouble, message: 'canary-inside' } });
  const url = `${shop.url}/report`;
  const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
  const text = await response.text();
  expect([response.status, shop.runs()]).toEqual([503, 0]);
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(JSON.parse(text)).toMatchObject({ error: told });
  expect(text).not.toContain('canary');
  const failed = events.find(({ type }) => type === 'failed');
  expect(String(failed?.error)).toContain(`status 503 (${trouble})`);
});

it('a sponsor out of ALGO is named to the buyer by a facilitator in the same process, too', async () => {
  const empty: FacilitatorClient = {
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: ALGORAND_TESTNET, extra: { feePayer: sponsor } }],
      extensions: [],
      signers: {},
    }),
    verify: () => Promise.reject(new X402Error('sponsor_unfunded')),
    settle: () => Promise.reject(new Error('nobody may ask')),
  };
  const resources = new x402ResourceServer(empty).register('algorand:*', new ExactAvmServer());
  const app = express().set('env', 'test');
  app.use(paymentMiddleware({ 'GET /report': route }, resources, { onEvent: () => undefined }));
  const url = `${await listen(app)}/report`;
  const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
  expect([response.status, await response.json()]).toMatchObject([503, { error: 'sponsor_unfunded' }]);
});
