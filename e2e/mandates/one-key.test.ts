import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import express from 'express';
import { expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { createSeller } from '@avm402/server';
import { paymentMiddleware } from '@avm402/server/express';
import { openMarket } from '../market.ts';
import { confirmedRound, openMandate } from '@avm402/stack/open-mandate';
import { usdcOf } from '@avm402/stack/balances';

const PRICE = 10_000n;
const FUNDS = 1_000_000n;
const SLOTS = 5;
const [PROCESSES, PURCHASES] = [2, 3];
const program = fileURLToPath(new URL('agent-process.ts', import.meta.url));

it('processes with one agent’s key use all slots of a window, and pay each purchase once', async () => {
  await using market = await openMarket();
  const access = { url: market.node.url, token: market.node.token };
  const { mandate } = await openMandate(access, { slots: BigInt(SLOTS), funds: FUNDS });
  const seller = createSeller({ server: market.resourceServer() });
  const routes = { 'GET /joke': { accepts: market.accepts } };
  const shop = await market.open(
    express()
      .use(paymentMiddleware(seller.pricedRoutes(routes)))
      .get('/joke', (_request, response) => void response.json('sold')),
  );
  const bought = async (): Promise<string[]> => {
    const args = [program, shop, access.url, access.token, JSON.stringify(mandate), String(PURCHASES)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as string[];
  };
  const outcomes = (await Promise.all(Array.from({ length: PROCESSES }, bought))).flat();
  const [paid, others] = [outcomes.filter((one) => one.length === 52), outcomes.filter((one) => one.length !== 52)];
  // One purchase more than there are slots.
  expect(others).toEqual(['mandate_exhausted']);
  expect(new Set(paid).size).toBe(SLOTS);
  const algod = createAlgodClient(access);
  for (const txId of paid) expect(await confirmedRound(algod, txId)).toBeGreaterThan(0n);
  expect(await usdcOf(algod, mandate.address)).toBe(FUNDS - PRICE * BigInt(SLOTS));
});
