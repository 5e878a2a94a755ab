import { ALGORAND_TESTNET } from '@avm402/core/network';
import { createSeller } from '@avm402/server';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { USDC } from '@avm402/stack/balances';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { receiptOf } from '../payment.ts';
import { served } from '../served.ts';
import { makes } from './makes.ts';

let node: Devnode;
let closing: AsyncDisposableStack;
beforeEach(async () => {
  closing = new AsyncDisposableStack();
  node = await startDevnode({ port: 0, network: 'testnet', blocks: 'manual' });
  closing.defer(() => node.stop());
});
afterEach(() => closing.disposeAsync());

const received = (): bigint => node.balance(node.accounts.merchant.address).assets.get(USDC) ?? 0n;

/** Transactions in the node's pool. */
async function waiting(): Promise<number> {
  const headers = { 'X-Algo-API-Token': node.token };
  const pool = await fetch(`${node.url}/v2/transactions/pending?format=json`, { headers });
  return Object(await pool.json())['total-transactions'];
}

describe.each(makes.filter(({ alwaysSponsors }) => alwaysSponsors))('with the facilitator of $name', (make) => {
  it('a route that answers before the block waits for it: nobody says that a node has taken the payment', async () => {
    const chain = { url: node.url, token: node.token };
    const facilitator = await make.facilitator({ spellings: [ALGORAND_TESTNET], isSponsor: true, chain });
    closing.defer(() => facilitator.stop());
    const told: string[] = [];
    const onEvent = ({ type }: { readonly type: string }): void => void told.push(type);
    const seller = createSeller({ facilitator: facilitator.url, atRisk: {}, onEvent });
    const terms = { payTo: node.accounts.merchant.address, extra: { paymentFlow: 'accepted' } };
    const app = express().get('/goods', seller.paid(seller.price('$0.01', terms)), (_request, response) => {
      response.send('a cent’s worth');
    });
    const shop = await served(app);
    closing.defer(() => shop.stop());
    const before = received();
    const pay = make.client({ privateKey: node.accounts.payer.privateKey }, chain);
    let has: bigint | undefined;
    const answer = pay(`${shop.url}/goods`).then((response) => {
      has = received();
      return response;
    });
    await expect.poll(waiting).toBe(2);
    expect(has).toBeUndefined();
    const mining = setInterval(() => void node.mine(), 30);
    closing.defer(async () => clearInterval(mining));
    const { status } = await answer;
    expect([status, has, receiptOf(await answer)?.success]).toEqual([200, before + 10_000n, true]);
    expect(told).toEqual(['offered', 'claimed', 'settled']);
  });
});
