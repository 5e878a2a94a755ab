import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { createPayer } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import { createSeller } from '@avm402/server';
import { paymentMiddleware as forExpress } from '@avm402/server/express';
import { paymentMiddleware as forFastify } from '@avm402/server/fastify';
import { paymentMiddleware as forHono } from '@avm402/server/hono';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { type Market, openMarket } from '../market.ts';
import { receiptOf } from '../payment.ts';
import { confirmedRound, openMandate } from '@avm402/stack/open-mandate';
import { usdcOf } from '@avm402/stack/balances';

const PRICE = 10_000n;
const FUNDS = 1_000_000n;
/** Purchases that start before the owner ends the mandate, and after. */
const [BEFORE, AFTER] = [18, 9];
const joke = { joke: 'Two coins walk into a ledger. Neither is spent twice.' };

/** The same joke at the same price, by three frameworks. `open` serves the last of them. */
async function sellers(market: Market, open: Market['open'] = (app) => market.open(app)): Promise<string[]> {
  const routes = { 'GET /joke': { accepts: market.accepts } };
  const server = market.resourceServer();
  const priced = () => createSeller({ server, publicUrl: 'https://jokes.example' }).pricedRoutes(routes);
  const expressApp = express()
    .use(forExpress(priced()))
    .get('/joke', (_request, response) => void response.json(joke));
  const fastify = Fastify();
  fastify.addHook('onRequest', forFastify(priced()));
  fastify.get('/joke', () => joke);
  await fastify.ready();
  const hono = new Hono().use(forHono(priced())).get('/joke', (context) => context.json(joke));
  const serveHono = getRequestListener(hono.fetch, { overrideGlobalObjects: false });
  return Promise.all([
    market.open(expressApp),
    market.open((request, response) => fastify.routing(request, response)),
    open((request, response) => void serveHono(request, response)),
  ]);
}

it('an agent buys from three frameworks in a burst, and after the owner’s one transaction nothing more is settled', async () => {
  await using market = await openMarket({}, { blocks: { everyMs: 100 } });
  const access = { url: market.node.url, token: market.node.token };
  const algod = createAlgodClient(access);
  const { payer: owner, merchant } = market.node.accounts;
  const [sold, owned] = [await usdcOf(algod, merchant.address), await usdcOf(algod, owner.address)];
  const opened = await openMandate(access, { slots: 100n, funds: FUNDS });
  const origins = await sellers(market);
  const payer = createPayer({
    mandate: opened.mandate,
    agentKey: opened.agentKey,
    networks: { 'algorand:*': access },
    recoverMs: 3_000,
  });
  const answered: number[] = [];
  // The TxID, the status, or the code of what went wrong.
  const buy = async (index: number): Promise<string> => {
    try {
      const response = await payer.fetch(`${origins[index % origins.length]}/joke?n=${index}`);
      if (response.status !== 200) return String(response.status);
      expect(await response.json()).toEqual(joke);
      answered.push(index % origins.length);
      return receiptOf(response)?.transaction ?? 'without a receipt';
    } catch (error) {
      if (isX402Error(error)) return error.code;
      throw error;
    }
  };
  const burst = Array.from({ length: BEFORE }, (_, index) => buy(index));
  await expect.poll(() => new Set(answered).size, { timeout: 30_000 }).toBe(3);
  const late = Array.from({ length: AFTER }, (_, index) => buy(BEFORE + index));
  const ended = await opened.end();
  const outcomes = await Promise.all([...burst, ...late, buy(0)]);

  const paid = outcomes.filter(isTransactionId);
  expect(new Set(paid).size).toBe(paid.length);
  for (const txId of paid) expect(await confirmedRound(algod, txId)).toBeLessThanOrEqual(ended);
  const spent = PRICE * BigInt(paid.length);
  expect([(await usdcOf(algod, merchant.address)) - sold, (await usdcOf(algod, owner.address)) - owned]).toEqual([
    spent,
    -spent,
  ]);
  expect(await algod.accountAsset(opened.mandate.address, TESTNET.usdcAssetId)).toBeUndefined();
  // No other answer says that anything was paid: it is a 402, or no payment was made.
  const others = outcomes.filter((outcome) => !isTransactionId(outcome));
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter((outcome) => outcome !== '402' && outcome !== 'mandate_refuses')).toEqual([]);
});

it('one of three sellers ends in a burst: the others sell on, and no purchase is paid twice', async () => {
  await using market = await openMarket({}, { blocks: { everyMs: 100 } });
  const access = { url: market.node.url, token: market.node.token };
  const algod = createAlgodClient(access);
  const { mandate, agentKey } = await openMandate(access, { slots: 100n, funds: FUNDS });
  let presented = 0;
  const origins = await sellers(market, async (app) => {
    // It ends when the third payment comes, with two under way.
    const dying = createServer((request, response) => {
      if (request.headers['payment-signature'] !== undefined) presented += 1;
      if (presented < 3) return app(request, response);
      dying.close().closeAllConnections();
    });
    dying.listen(0, '127.0.0.1');
    await once(dying, 'listening');
    return `http://127.0.0.1:${(dying.address() as AddressInfo).port}`;
  });
  const left: string[] = [];
  const payer = createPayer({
    mandate,
    agentKey,
    networks: { 'algorand:*': access },
    recoverMs: 2_000,
    spend: { perPayment: '$0.01', perDay: '$1' },
    onPayment: ({ txId }) => void left.push(txId),
  });
  const isDying = (index: number): boolean => index % origins.length === 2;
  const buy = async (index: number): Promise<boolean> => {
    const answer = await payer.fetch(`${origins[index % origins.length]}/joke?n=${index}`).catch((error: unknown) => {
      if (isX402Error(error)) return undefined;
      throw error;
    });
    return answer?.status === 200;
  };
  const outcomes = await Promise.all(Array.from({ length: BEFORE }, (_, index) => buy(index)));
  expect(outcomes.filter((_, index) => !isDying(index))).toEqual(Array.from({ length: 12 }, () => true));
  const delivered = outcomes.filter(Boolean).length;
  expect(delivered).toBeLessThan(BEFORE);
  const spent = FUNDS - (await usdcOf(algod, mandate.address));
  expect(spent % PRICE).toBe(0n);
  expect(Number(spent / PRICE)).toBeGreaterThanOrEqual(delivered);
  // One payment for a purchase at most, and what may still settle counts with the agent.
  expect(left.length).toBeLessThanOrEqual(BEFORE);
  const [dollars] = await payer.spending();
  expect(dollars?.day.spent).toBe(PRICE * BigInt(left.length));
});

function isTransactionId(outcome: string): boolean {
  return outcome.length === 52;
}
