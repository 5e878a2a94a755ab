import { type Account, accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import type { PaymentRequired } from '@avm402/core/payment-required';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, type Facilitator } from '@avm402/facilitator';
import { x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { beforeEach, expect, it } from 'vitest';
import { createSeller } from '../src/index.ts';
import { withPayment } from './support/payments.ts';
import { afterwards, listen, offerAt } from './support/shop.ts';

const first = accountFromSeed(new Uint8Array(32).fill(81));
const second = accountFromSeed(new Uint8Array(32).fill(82));
const FEE = 2_000n;
const MINIMUM = 100_000n;

let node: Devnode;
let facilitator: Facilitator;
let url: string;
let clock: number;

beforeEach(async () => {
  clock = Date.now();
  node = await startDevnode({ port: 0, network: 'testnet' });
  afterwards(() => node.stop());
  await node.fund(first.address, MINIMUM + FEE);
  await node.fund(second.address, MINIMUM + FEE);
  facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
    sponsorship: { account: first, moreAccounts: [second], payTo: [node.accounts.merchant.address] },
    leaseMs: 60,
    now: () => clock,
  });
  afterwards(() => facilitator.close());
  await facilitator.start();
  url = await sell();
});

/** A shop whose facilitator works in its process. */
async function sell({ payTo = node.accounts.merchant.address, price = '$0.01' } = {}): Promise<string> {
  const server = new x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer());
  const seller = createSeller({ server, onEvent: () => undefined });
  const accepts = { scheme: 'exact', price, network: ALGORAND_TESTNET, payTo } as const;
  const app = express().get('/report', seller.paid({ accepts }), (_, response) => void response.json({}));
  return `${await listen(app)}/report`;
}

const feePayerIn = (offer: PaymentRequired): unknown => offer.accepts[0]?.extra['feePayer'];

/** The answer to a payment of this offer. */
async function buy(offer: PaymentRequired, shop = url): Promise<Response> {
  const [accepted] = offer.accepts;
  if (accepted === undefined) throw new Error('nothing is offered');
  const algod = createAlgodClient({ url: node.url, token: node.token });
  const account = parseAccount(node.accounts.payer.privateKey);
  const { payload } = await new ExactAvmClient({ account, algod: () => algod }).createPayment(accepted);
  return fetch(shop, { headers: withPayment({ x402Version: 2, resource: offer.resource, accepted, payload }) });
}

async function untilFacilitatorNames({ address }: Account): Promise<void> {
  const named = async () => (await facilitator.getSupported()).kinds[0]?.extra?.['feePayer'];
  while ((await named()) !== address) {
    clock += 10_000;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('what was quoted with one fee payer is served when the facilitator names another one meanwhile', async () => {
  const offer = await offerAt(url);
  expect(feePayerIn(offer)).toBe(first.address);
  await node.fund(second.address, 100n * FEE);
  await untilFacilitatorNames(second);
  const before = node.balance(first.address).microAlgos;
  expect((await buy(offer)).status).toBe(200);
  expect(before - node.balance(first.address).microAlgos).toBe(FEE);
});

it('a shop that hears that the fee payer it names can pay no more soon names the next one', async () => {
  expect((await buy(await offerAt(url))).status).toBe(200);
  await untilFacilitatorNames(second);
  const refused = await buy(await offerAt(url));
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: 'sponsor_unfunded' }]);
  await expect.poll(async () => feePayerIn(await offerAt(url)), { timeout: 5_000 }).toBe(second.address);
  expect((await buy(await offerAt(url))).status).toBe(200);
});

it.each(['a receiver', 'an amount'])(
  'an offer with %s that is not sponsored names no fee payer: its buyer pays the fee',
  async (what) => {
    const terms = what === 'a receiver' ? { payTo: node.accounts.payer2.address } : { price: '$0.0005' };
    const shop = await sell(terms);
    const offer = await offerAt(shop);
    expect(feePayerIn(offer)).toBeUndefined();
    const before = node.balance(node.accounts.payer.address).microAlgos;
    expect((await buy(offer, shop)).status).toBe(200);
    expect(before - node.balance(node.accounts.payer.address).microAlgos).toBe(1_000n);
  },
);
