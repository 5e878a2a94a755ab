import { paymentMiddleware } from '@avm402/server';
import { toClientAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Market, openMarket } from '../market.ts';
import { receiptOf } from '../payment.ts';

const BLOCK_MS = 1_000;

let market: Market;
beforeAll(async () => {
  market = await openMarket({}, { blocks: { everyMs: BLOCK_MS } });
});
afterAll(() => market[Symbol.asyncDispose]());

function stockBuyer(): typeof fetch {
  const { node } = market;
  const scheme = new ExactAvmScheme(toClientAvmSigner(node.accounts.payer.privateKey), {
    algodUrl: node.url,
    algodToken: node.token,
  });
  return wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
}

describe('a stock buyer (@x402/fetch) at a route that answers before the block', () => {
  it('gets status and body of the handler, pays once, and the payment is in a block later', async () => {
    const told: string[] = [];
    const accepts = { ...market.accepts, extra: { paymentFlow: 'accepted' } };
    const onEvent = ({ type }: { readonly type: string }): void => void told.push(type);
    const payments = paymentMiddleware({ 'GET /goods': { accepts } }, market.resourceServer(), { atRisk: {}, onEvent });
    const app = express().use(payments);
    app.get('/goods', (_request, response) => void response.status(201).json({ goods: 'a cent’s worth' }));
    const url = `${await market.open(app)}/goods`;
    const buyer = stockBuyer();
    const answer = await buyer(url);
    expect([answer.status, await answer.json()]).toEqual([201, { goods: 'a cent’s worth' }]);
    const receipt = receiptOf(answer);
    expect(receipt).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    await expect.poll(() => told, { timeout: 15_000 }).toEqual(['offered', 'claimed', 'accepted', 'settled']);
    const record = await fetch(`${market.facilitatorUrl}/settlements/${receipt?.transaction}`);
    expect(await record.json()).toMatchObject({ state: 'confirmed' });
  });
});
