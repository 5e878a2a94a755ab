import { randomBytes } from 'node:crypto';
import { type Account, parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { createPayingFetch } from '@avm402/client';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, type Facilitator, type FacilitatorOptions } from '@avm402/facilitator';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { charge, createSeller, type PaymentOptions } from '../src/index.ts';
import { statuses } from './support/channel-shop.ts';
import { paymentBy, withPayment } from './support/payments.ts';
import { afterwards, answerInTheEnd, listen, offerAt, offerIn, receiptIn } from './support/shop.ts';

const USDC = 10_458_941n;
const MAXIMUM = 10_000n;

interface Market {
  readonly node: Devnode;
  readonly facilitator: Facilitator;
  /** Atomic units that the merchant has got since the start. */
  readonly received: () => bigint;
}

/** A chain, and a facilitator whose second account settles `upto`. */
async function openMarket(options: Partial<FacilitatorOptions> = {}): Promise<Market> {
  const node = await startDevnode({ port: 0, network: 'testnet' });
  afterwards(() => node.stop());
  const { facilitator: sponsor, merchant, payer8: second } = node.accounts;
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
    sponsorship: {
      account: parseAccount(sponsor.privateKey),
      moreAccounts: [parseAccount(second.privateKey)],
      payTo: [merchant.address],
    },
    ...options,
  });
  afterwards(() => facilitator.close());
  const balance = (): bigint => node.balance(merchant.address).assets.get(USDC) ?? 0n;
  const before = balance();
  return { node, facilitator, received: () => balance() - before };
}

type Settle = Facilitator['settle'];

/** The facilitator, whose settle is another one's. */
function settlingBy(facilitator: Facilitator, settle: Settle): Facilitator {
  return Object.assign(Object.create(facilitator), {
    verify: facilitator.verify.bind(facilitator),
    getSupported: facilitator.getSupported.bind(facilitator),
    settlement: facilitator.settlement.bind(facilitator),
    storeId: facilitator.storeId.bind(facilitator),
    settle,
  });
}

interface Shop {
  readonly url: string;
  readonly runs: () => number;
  /** The headers of a payment of at most the price, by an account; with a payment id, if it has one. */
  readonly authorize: (options?: { by?: Account; paymentId?: string }) => Promise<Record<string, string>>;
}

/** Sells `GET /words` for at most the price, by the handler's charge. */
async function openShop(
  { node, facilitator }: Pick<Market, 'node' | 'facilitator'>,
  handler: (response: express.Response) => void,
  options: PaymentOptions = {},
): Promise<Shop> {
  const seller = createSeller({ facilitator, onEvent: () => undefined, ...options });
  const { merchant, payer } = node.accounts;
  const accepts = await seller.accepts({ price: '$0.01', payTo: merchant.address, schemes: ['upto'] });
  let runs = 0;
  const app = express().get('/words', seller.paid({ accepts }), (_request, response) => {
    runs++;
    handler(response);
  });
  const url = `${await listen(app)}/words`;
  const algod = createAlgodClient({ url: node.url, token: node.token });
  return {
    url,
    runs: () => runs,
    async authorize({ by = parseAccount(payer.privateKey), paymentId } = {}) {
      const client = new UptoAvmClient({ account: by, algod: () => algod });
      return paymentBy(client, await offerAt(url), { ...(paymentId !== undefined && { paymentId }) });
    },
  };
}

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;

describe('a buyer without a channel, at a route that is metered,', () => {
  it.each([
    ['what its handler charges', [1_234n, 66n], 1_300n],
    ['the price, where its handler charges nothing itself', [], MAXIMUM],
    ['at most the price, whatever its handler charges', [MAXIMUM + 1n], MAXIMUM],
  ])('pays %s', async (_what, charges, paid) => {
    const market = await openMarket();
    const { url, authorize } = await openShop(market, (response) => {
      const taken = charges.map((amount) => charge(response, amount));
      response.json({ taken });
    });
    const answer = await fetch(url, { headers: await authorize() });
    expect(await answer.json()).toEqual({ taken: charges.map((amount) => amount <= MAXIMUM) });
    expect(receiptIn(answer)).toMatchObject({ success: true, amount: String(paid) });
    expect(receiptIn(answer)?.transaction).toHaveLength(52);
    expect(market.received()).toBe(paid);
  });

  it('gets for nothing what is charged nothing for, once, and no transaction settles it', async () => {
    const market = await openMarket();
    const { url, authorize, runs } = await openShop(market, (response) => {
      charge(response, 0n);
      response.json({});
    });
    const headers = await authorize();
    const answer = await fetch(url, { headers });
    expect([answer.status, receiptIn(answer)]).toEqual([
      200,
      expect.objectContaining({ amount: '0', transaction: '' }),
    ]);
    expect((await fetch(url, { headers })).status).toBe(402);
    expect([market.received(), runs()]).toEqual([0n, 1]);
  });

  it('gets a receipt of nothing, once, from a facilitator that says more of it than a header takes', async () => {
    const market = await openMarket();
    const { facilitator } = market;
    const wordy = settlingBy(facilitator, async (...asked) => {
      const receipt = await facilitator.settle(...asked);
      return { ...receipt, extra: { ...receipt.extra, words: 'x'.repeat(5_000) } };
    });
    const { url, authorize, runs } = await openShop({ ...market, facilitator: wordy }, (response) => {
      charge(response, 0n);
      response.json({});
    });
    const headers = await authorize();
    const receipt = receiptIn(await fetch(url, { headers }));
    expect(receipt).toMatchObject({ success: true, amount: '0', transaction: '' });
    expect(receipt).not.toHaveProperty('extra');
    expect([(await fetch(url, { headers })).status, runs()]).toEqual([402, 1]);
  });

  it('pays nothing for a handler that fails, and can use the authorization again', async () => {
    const market = await openMarket();
    let fails = true;
    const { url, authorize } = await openShop(market, (response) => {
      charge(response, 7_000n);
      response.status(fails ? 500 : 200).json({});
    });
    const headers = await authorize();
    expect((await fetch(url, { headers })).status).toBe(500);
    expect(market.received()).toBe(0n);
    fails = false;
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(market.received()).toBe(7_000n);
  });

  it('buys one answer with one authorization, however often it is sent', async () => {
    const market = await openMarket();
    const { url, authorize, runs } = await openShop(market, (response) => {
      charge(response, 100n);
      response.json({ words: 'some' });
    });
    const [anonymous, named] = [await authorize(), await authorize({ paymentId: newId() })];
    const answers = await Promise.all([1, 2, 3].map(() => fetch(url, { headers: anonymous })));
    expect(statuses(answers)).toEqual([200, 402, 402]);
    const [first, again] = [await fetch(url, { headers: named }), await fetch(url, { headers: named })];
    expect([await first.json(), await again.json()]).toEqual([{ words: 'some' }, { words: 'some' }]);
    expect(receiptIn(again)).toEqual(receiptIn(first));
    expect([market.received(), runs()]).toEqual([200n, 2]);
  });

  it('is not kept from paying by somebody who has signed a copy', async () => {
    const market = await openMarket();
    const { url, authorize, runs } = await openShop(market, (response) => void response.json({}));
    const headers = await authorize();
    const sent = JSON.parse(Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString());
    sent.payload.signature = Buffer.alloc(64, 7).toString('base64');
    const forged = await fetch(url, { headers: withPayment(sent) });
    expect([forged.status, offerIn(forged).error]).toEqual([402, 'invalid_upto_avm_signature']);
    expect((await fetch(url, { headers })).status).toBe(200);
    expect([market.received(), runs()]).toEqual([MAXIMUM, 1]);
  });

  it('is refused an authorization of another maximum', async () => {
    const { url, authorize } = await openShop(await openMarket(), (response) => void response.json({}));
    const headers = await authorize();
    const sent = JSON.parse(Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString());
    sent.payload.authorization.maxAmount = '1';
    const answer = await fetch(url, { headers: withPayment(sent) });
    expect([answer.status, offerIn(answer).error]).toEqual([402, 'invalid_upto_avm_authorization']);
  });

  it('is told that the outcome is open while it is, and then gets what was charged for', async () => {
    const market = await openMarket({ settleTimeoutMs: 100 });
    let price = 3_000n;
    const { url, authorize, runs } = await openShop(
      market,
      (response) => {
        charge(response, price);
        response.json({ price: String(price) });
      },
      { settleTimeoutMs: 300 },
    );
    const headers = await authorize({ paymentId: newId() });
    await market.node.pause();
    const open = await fetch(url, { headers });
    expect([open.status, receiptIn(open)?.errorReason]).toEqual([503, 'settlement_pending']);
    price = 9_000n;
    await market.node.mine();
    const served = await answerInTheEnd(url, { headers });
    expect([served.status, await served.json(), receiptIn(served)?.amount]).toEqual([200, { price: '3000' }, '3000']);
    expect(receiptIn(open)?.transaction).toBe(receiptIn(served)?.transaction);
    expect([market.received(), runs()]).toEqual([3_000n, 1]);
  });

  it('gets what another transaction of the charge has paid for, where the first one was refused', async () => {
    const market = await openMarket();
    let isFirst = true;
    const settle: Settle = async (...asked) => {
      if (!isFirst) return market.facilitator.settle(...asked);
      isFirst = false;
      const refusal = { success: false, errorReason: 'settlement_rejected', network: ALGORAND_TESTNET } as const;
      return { ...refusal, transaction: 'A'.repeat(52), extra: { state: 'rejected' } };
    };
    const facilitator = settlingBy(market.facilitator, settle);
    const { url, authorize } = await openShop(
      { ...market, facilitator },
      (response) => {
        charge(response, 500n);
        response.json({});
      },
      { settleTimeoutMs: 500 },
    );
    const headers = await authorize({ paymentId: newId() });
    expect((await fetch(url, { headers })).status).toBe(402);
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(market.received()).toBe(500n);
  });

  it('pays the charge that was sent once, where the answer to it got lost', async () => {
    const market = await openMarket();
    const asked: unknown[] = [];
    const settle: Settle = async (payload, requirements, options) => {
      const settled = await market.facilitator.settle(payload, requirements, options);
      asked.push([requirements.amount, options?.idempotencyKey]);
      if (asked.length === 1) throw new Error('the answer got lost');
      return settled;
    };
    const facilitator = settlingBy(market.facilitator, settle);
    const { url, authorize } = await openShop({ ...market, facilitator }, (response) => {
      charge(response, 500n);
      response.json({});
    });
    expect((await fetch(url, { headers: await authorize() })).status).toBe(200);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toEqual(asked[0]);
    expect(market.received()).toBe(500n);
  });

  it('whose charge was refused is charged anew by the next run, up to all that it has authorized', async () => {
    const market = await openMarket();
    let isRefused = false;
    const settle: Settle = async (payload, requirements, options) => {
      if (isRefused) return market.facilitator.settle(payload, requirements, options);
      isRefused = true;
      return { success: false, errorReason: 'budget_exhausted', transaction: '', network: ALGORAND_TESTNET };
    };
    const facilitator = settlingBy(market.facilitator, settle);
    let price = 500n;
    const { url, authorize } = await openShop({ ...market, facilitator }, (response) => {
      charge(response, price);
      response.json({});
    });
    const headers = await authorize({ paymentId: newId() });
    expect((await fetch(url, { headers })).status).toBe(402);
    price = 8_000n;
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(market.received()).toBe(8_000n);
  });

  it('pays by our client what its handler charges', async () => {
    const market = await openMarket();
    const { url } = await openShop(market, (response) => {
      charge(response, 1_300n);
      response.json({});
    });
    const { node } = market;
    const networks = { 'algorand:*': { url: node.url, token: node.token } };
    const fetchPaid = createPayingFetch({ account: parseAccount(node.accounts.payer.privateKey), networks });
    expect((await fetchPaid(url)).status).toBe(200);
    expect(market.received()).toBe(1_300n);
  });
});
