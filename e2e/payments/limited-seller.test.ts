import { setTimeout as sleep } from 'node:timers/promises';
import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp } from '@avm402/facilitator';
import { paymentMiddleware } from '@avm402/server';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { expect, it } from 'vitest';
import { USDC } from '@avm402/stack/balances';
import { offerOf, paidHeaders, payFor } from '../payment.ts';
import { served } from '../served.ts';

const BUYERS = 30;
/** Requests a minute; each payment takes two. */
const LIMIT = 40;
const SELLER = { 'X-Forwarded-For': '203.0.113.7' };

/** Refusals after which the limit's clock goes on, and how fast: before that no request comes too late to meet it. */
const REFUSALS = 10;
const HASTE = 30;

/** A facilitator that knows its callers by their addresses only. */
async function startLimited(node: Devnode) {
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient(node)] }],
    sponsorship: { account: parseAccount(node.accounts.facilitator.privateKey), anyone: true },
  });
  await facilitator.start();
  let refusals = 0;
  const info = (facts: object): void => void (refusals += 'status' in facts && facts.status === 429 ? 1 : 0);
  const quiet = (): void => {};
  const log = { debug: quiet, warn: quiet, error: quiet, info };
  const now = (): number => (refusals < REFUSALS ? 0 : performance.now() * HASTE);
  const app = createFacilitatorApp(facilitator, { log, perIp: LIMIT, trustedProxies: ['127.0.0.1'], now });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    refusals: () => refusals,
    async stop() {
      await app.close();
      await facilitator.close();
    },
  };
}

function shopOf(node: Devnode, facilitatorUrl: string): express.Express {
  const createAuthHeaders = async () => ({ verify: SELLER, settle: SELLER, supported: SELLER });
  const client = new HTTPFacilitatorClient({ url: facilitatorUrl, createAuthHeaders });
  const resources = new x402ResourceServer(client).register(ALGORAND_TESTNET, new ExactAvmServer());
  const payTo = node.accounts.merchant.address;
  const accepts = { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo };
  const app = express().use(paymentMiddleware({ 'GET /weather': { accepts } }, resources));
  return app.get('/weather', (_request, response) => void response.json({ weather: 'sunny' }));
}

/** Sends its payment again as often as it is told to come back. */
async function buy(url: string, node: Devnode): Promise<number> {
  const headers = paidHeaders(await payFor(offerOf(await fetch(url)), node.accounts.payer, node.url));
  for (;;) {
    const { status, headers: answer } = await fetch(url, { headers });
    if (status !== 503) return status;
    await sleep((Number(answer.get('retry-after')) * 1_000) / HASTE);
  }
}

it('a seller without a key that asks faster than an address may sells on: its buyers wait, and each pays once', async () => {
  const node = await startDevnode({ port: 0, network: 'testnet' });
  await using started = new AsyncDisposableStack();
  started.defer(() => node.stop());
  const facilitator = await startLimited(node);
  started.defer(() => facilitator.stop());
  const shop = await served(shopOf(node, facilitator.url));
  started.defer(() => shop.stop());
  const merchantHas = (): bigint => node.balance(node.accounts.merchant.address).assets.get(USDC) ?? 0n;
  const before = merchantHas();
  const paid = await Promise.all(Array.from({ length: BUYERS }, () => buy(`${shop.url}/weather`, node)));
  expect(paid).toEqual(paid.map(() => 200));
  expect(facilitator.refusals()).toBeGreaterThanOrEqual(REFUSALS);
  expect(merchantHas() - before).toBe(BigInt(BUYERS) * 10_000n);
});
