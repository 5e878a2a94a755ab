import { createAlgodClient } from '@avm402/algorand/algod';
import { createPayer } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import { createSeller } from '@avm402/server';
import { paymentMiddleware } from '@avm402/server/express';
import { usdcOf } from '@avm402/stack/balances';
import { openMandate } from '@avm402/stack/open-mandate';
import express from 'express';
import { expect, it } from 'vitest';
import { openMarket } from '../market.ts';

const PRICE = 10_000n;
const SLOTS = 3n;

it('a thief of an agent’s key gets what a window allows, however many payers use it, and nothing after the owner’s one transaction', async () => {
  await using market = await openMarket();
  const access = { url: market.node.url, token: market.node.token };
  const algod = createAlgodClient(access);
  const { mandate, agentKey, end } = await openMandate(access, { slots: SLOTS, funds: 100n * PRICE });
  const seller = createSeller({ server: market.resourceServer() });
  const routes = seller.pricedRoutes({ 'GET /joke': { accepts: market.accepts } });
  const app = express().use(paymentMiddleware(routes));
  const origin = await market.open(app.get('/joke', (_request, response) => void response.json({ joke: 'one' })));
  /** Three thieves who know nothing of each other ask for four jokes each; resolves to what they are told. */
  const steal = async (): Promise<string[]> => {
    const thieves = Array.from({ length: 3 }, () =>
      createPayer({ mandate, agentKey, networks: { 'algorand:*': access }, recoverMs: 1_000 }),
    );
    const ask = async (thief: (typeof thieves)[number], n: number): Promise<string> => {
      try {
        return String((await thief.fetch(`${origin}/joke?n=${n}`)).status);
      } catch (error) {
        if (isX402Error(error)) return error.code;
        throw error;
      }
    };
    const asked = thieves.map(async (thief, who) => {
      const told: string[] = [];
      for (let n = 0; n < 4; n += 1) told.push(await ask(thief, 4 * who + n));
      return told;
    });
    return (await Promise.all(asked)).flat();
  };
  const lost = async (): Promise<[bigint, string[]]> => {
    const before = await usdcOf(algod, mandate.address);
    const told = await steal();
    return [before - (await usdcOf(algod, mandate.address)), told];
  };

  for (const window of ['the first window', 'the next one']) {
    const [loss, told] = await lost();
    expect(loss, window).toBe(SLOTS * PRICE);
    expect(told.filter((outcome) => outcome === '200')).toHaveLength(Number(SLOTS));
    await market.node.mine(500);
  }
  await end();
  const merchant = await usdcOf(algod, market.accepts.payTo);
  expect((await steal()).filter((outcome) => outcome === '200')).toEqual([]);
  expect(await usdcOf(algod, market.accepts.payTo)).toBe(merchant);
}, 60_000);
