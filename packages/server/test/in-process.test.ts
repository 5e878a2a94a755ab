import { randomBytes } from 'node:crypto';
import { accountFromSeed, parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { withPaymentId } from '@avm402/core/payment-identifier';
import { type Devnode, startDevnode } from '@avm402/devnode';
import {
  createFacilitator,
  type Facilitator,
  type FacilitatorOptions,
  createMemorySettlementStore,
  type SettlementStore,
} from '@avm402/facilitator';
import { x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { createSeller, type PaymentOptions } from '../src/index.ts';
import { withPayment } from './support/payments.ts';
import { afterwards, answerInTheEnd, listen, offerAt, offerIn, receiptIn } from './support/shop.ts';

interface Stage {
  readonly node: Devnode;
  readonly store: SettlementStore;
  readonly facilitator: Facilitator;
}

/** A node, and a facilitator in this process on a store that outlives it. */
async function stage(options: Partial<FacilitatorOptions> = {}): Promise<Stage> {
  const node = await startDevnode({ port: 0, network: 'testnet' });
  afterwards(() => node.stop());
  const store = createMemorySettlementStore();
  return { node, store, facilitator: facilitatorOn({ node, store }, options) };
}

function facilitatorOn(
  { node, store }: Pick<Stage, 'node' | 'store'>,
  options: Partial<FacilitatorOptions>,
): Facilitator {
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
    sponsorship: {
      account: parseAccount(node.accounts.facilitator.privateKey),
      payTo: [node.accounts.merchant.address],
    },
    store,
    ...options,
  });
  afterwards(() => facilitator.close());
  return facilitator;
}

/** A seller of `GET /report` and, upfront, `GET /events`, with its facilitator in its own process. */
async function sellFor({ node, facilitator }: Omit<Stage, 'store'>, options: PaymentOptions = {}) {
  const server = new x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer());
  const seller = createSeller({ server, onEvent: () => undefined, ...options });
  const payTo = node.accounts.merchant.address;
  const accepts = { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo } as const;
  const app = express();
  let runs = 0;
  const report: express.RequestHandler = (_request, response) => void response.json({ run: ++runs });
  app.get('/report', seller.paid({ accepts }), report);
  app.get('/events', seller.paid({ accepts: { ...accepts, extra: { paymentFlow: 'upfront' } } }), report);
  return { url: await listen(app), runs: () => runs };
}

/** The headers of one payment for what an URL sells: with a payment id, and without it. */
async function paymentWithAndWithoutId(
  url: string,
  { accounts, url: nodeUrl, token }: Devnode,
  account = parseAccount(accounts.payer.privateKey),
): Promise<readonly [Record<string, string>, Record<string, string>]> {
  const offer = await offerAt(url);
  const [accepted] = offer.accepts;
  if (accepted === undefined) throw new Error('nothing is offered');
  const algod = createAlgodClient({ url: nodeUrl, token });
  const { payload } = await new ExactAvmClient({ account, algod: () => algod }).createPayment(accepted);
  const payment = { x402Version: 2, resource: offer.resource, accepted, payload } as const;
  const extensions = withPaymentId(offer.extensions, `pay_${randomBytes(16).toString('hex')}`);
  return [withPayment({ ...payment, ...(extensions && { extensions }) }), withPayment(payment)];
}

async function paidFor(...parameters: Parameters<typeof paymentWithAndWithoutId>): Promise<Record<string, string>> {
  return (await paymentWithAndWithoutId(...parameters))[0];
}

const USDC = 10_458_941n;
const received = (node: Devnode): bigint => node.balance(node.accounts.merchant.address).assets.get(USDC) ?? 0n;

describe.each(['/report', '/events'])('a seller with its facilitator in its own process, at %s,', (path) => {
  it('charges a buyer once, and gives the same answer again', async () => {
    const { node, facilitator } = await stage();
    const before = received(node);
    const { url, runs } = await sellFor({ node, facilitator });
    const headers = await paidFor(url + path, node);
    for (const _time of [1, 2]) {
      const response = await fetch(url + path, { headers });
      expect([response.status, receiptIn(response)?.success, await response.json()]).toEqual([200, true, { run: 1 }]);
    }
    expect([received(node) - before, runs()]).toEqual([10_000n, 1]);
  });

  it('repeats a settlement by its key when the answer got lost, so that it is the buyer’s', async () => {
    const { node, facilitator } = await stage();
    const keys: unknown[] = [];
    const forgetful: Facilitator = Object.assign(Object.create(facilitator), {
      verify: facilitator.verify.bind(facilitator),
      getSupported: facilitator.getSupported.bind(facilitator),
      settlement: facilitator.settlement.bind(facilitator),
      settle: async (...[payload, requirements, options]: Parameters<Facilitator['settle']>) => {
        const settled = await facilitator.settle(payload, requirements, options);
        keys.push(options?.idempotencyKey);
        if (keys.length === 1) throw new Error('the answer got lost');
        return settled;
      },
    });
    const before = received(node);
    const { url } = await sellFor({ node, facilitator: forgetful });
    const response = await fetch(url + path, { headers: await paidFor(url + path, node) });
    expect([response.status, keys.length, new Set(keys).size, typeof keys[0]]).toEqual([200, 2, 1, 'string']);
    expect(received(node) - before).toBe(10_000n);
  });

  it('says that the outcome is open while it is, and serves the buyer who comes back', async () => {
    const { node, facilitator } = await stage({ settleTimeoutMs: 100 });
    const { url, runs } = await sellFor({ node, facilitator }, { settleTimeoutMs: 300 });
    const headers = await paidFor(url + path, node);
    await node.pause();
    const open = await fetch(url + path, { headers });
    expect([open.status, receiptIn(open)?.errorReason, receiptIn(open)?.transaction.length]).toEqual([
      503,
      'settlement_pending',
      52,
    ]);
    await node.mine();
    const served = await answerInTheEnd(url + path, { headers });
    expect([served.status, await served.json(), runs()]).toEqual([200, { run: 1 }, 1]);
  });

  it('tells a stranger from the facilitator’s record that the payment is used', async () => {
    const { node, facilitator } = await stage({ settleTimeoutMs: 100 });
    const { url, runs } = await sellFor({ node, facilitator }, { settleTimeoutMs: 300 });
    const [buyer, stranger] = await paymentWithAndWithoutId(url + path, node);
    await node.pause();
    expect((await fetch(url + path, { headers: buyer })).status).toBe(503);
    const before = runs();
    await node.mine();
    await expect.poll(async () => (await fetch(url + path, { headers: stranger })).status).toBe(402);
    const told = await fetch(url + path, { headers: stranger });
    expect([offerIn(told).error, receiptIn(told)?.success, runs()]).toEqual(['duplicate_payment', true, before]);
  });

  it('releases nothing while its settlement store fails, and serves the buyer who comes back', async () => {
    const { node, store, facilitator } = await stage();
    const { url } = await sellFor({ node, facilitator }, { settleTimeoutMs: 300 });
    const headers = await paidFor(url + path, node);
    const record = store.record.bind(store);
    store.record = () => Promise.reject(new Error('the disk is full'));
    const refused = await fetch(url + path, { headers });
    expect([refused.status, (await refused.text()).includes('run')]).toEqual([503, false]);
    expect(received(node)).toBe(0n);
    store.record = record;
    const served = await answerInTheEnd(url + path, { headers });
    expect([served.status, await served.json()]).toEqual([200, { run: 1 }]);
  });

  it('answers 503 at once while its node is down', async () => {
    const { node, facilitator } = await stage();
    const { url, runs } = await sellFor({ node, facilitator });
    const headers = await paidFor(url + path, node);
    await node.stop();
    const refused = await fetch(url + path, { headers });
    expect([refused.status, receiptIn(refused), runs()]).toEqual([503, undefined, 0]);
  });

  it('answers a payment that nobody can fund with its reason', async () => {
    const { node, facilitator } = await stage();
    const { url, runs } = await sellFor({ node, facilitator });
    const headers = await paidFor(url + path, node, accountFromSeed(new Uint8Array(32).fill(9)));
    const refused = await fetch(url + path, { headers });
    expect([refused.status, offerIn(refused).error, runs()]).toEqual([402, 'invalid_exact_avm_payer_not_opted_in', 0]);
  });
});
