import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, setSettlementOverrides, x402ResourceServer } from '@x402/express';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { parseAccount } from '@avm402/algorand/account';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { UptoAvmServer } from '@avm402/avm/upto/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { createPayer } from '@avm402/client';
import { developmentAccounts } from '@avm402/devnode';
import { type Stack, startStack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { readDebits } from '../debits.ts';
import { receiptOf } from '../payment.ts';
import { type Served, served } from '../served.ts';

const MAXIMUM = 50_000n;
const { merchant, payer } = developmentAccounts();

let stack: Stack;
let algod: AlgodClient;
let seller: Served;
let url: string;

beforeAll(async () => {
  stack = await startStack({
    nodeArguments: ['--network', 'testnet'],
    facilitatorEnvironment: { SPONSOR_PAY_TO: merchant.address },
  });
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  seller = await served(meteredShop());
  ({ url } = seller);
});
afterAll(async () => {
  await seller.stop();
  await stack.stop();
});

/** A stock server whose handler charges what its path says; `/words` says nothing. */
function meteredShop(): express.Express {
  const app = express();
  const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: stack.facilitator.url })).register(
    'algorand:*',
    new UptoAvmServer(),
  );
  const accepts = { scheme: 'upto', price: '$0.05', network: ALGORAND_TESTNET, payTo: merchant.address };
  app.use(paymentMiddleware({ 'GET /words': { accepts }, 'GET /words/*': { accepts } }, resources));
  app.get('/words', (_request, response) => void response.json({ words: 'all' }));
  app.get('/words/:charge', (request, response) => {
    setSettlementOverrides(response, { amount: request.params.charge });
    response.json({ words: 'some' });
  });
  return app;
}

function buy(path: string): Promise<Response> {
  const scheme = new UptoAvmClient({ account: parseAccount(payer.privateKey), algod: () => algod });
  return wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme))(url + path);
}

/** The payer's loss by it, as the blocks have it. */
async function debitsBy(work: () => Promise<void>): Promise<bigint[]> {
  const before = await readDebits(algod);
  await work();
  const known = new Set(before.map(({ txId }) => txId));
  const debits = (await readDebits(algod)).filter(({ txId }) => !known.has(txId));
  expect(debits.every((debit) => debit.payer === payer.address && debit.receiver === merchant.address)).toBe(true);
  return debits.map(({ amount }) => amount);
}

describe('a stock server and a stock client, with the scheme upto', () => {
  it.each([
    ['/words/12345', 12_345n],
    [`/words/${MAXIMUM}`, MAXIMUM],
    ['/words', MAXIMUM],
  ])('settle for %s what its handler charged, at most the price', async (path, charge) => {
    const debits = await debitsBy(async () => {
      const response = await buy(path);
      expect(response.status).toBe(200);
      expect(receiptOf(response)).toMatchObject({ success: true, payer: payer.address, amount: String(charge) });
    });
    expect(debits).toEqual([charge]);
  });

  it('take the charge from our client, which counts the maximum until its own node has shown it', async () => {
    const account = parseAccount(payer.privateKey);
    const spend = { perDay: '$0.06' };
    const client = createPayer({ account, networks: { 'algorand:*': algod }, spend });
    const debits = await debitsBy(async () => {
      for (const charge of [4321n, 1234n]) {
        const response = await client.fetch(`${url}/words/${charge}`);
        expect(receiptOf(response)).toMatchObject({ success: true, amount: String(charge) });
      }
    });
    expect(debits).toEqual([4321n, 1234n]);
  });

  it('settle nothing on chain when nothing is charged', async () => {
    const debits = await debitsBy(async () => {
      const response = await buy('/words/0');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ words: 'some' });
      expect(receiptOf(response)).toMatchObject({ success: true, transaction: '', amount: '0' });
    });
    expect(debits).toEqual([]);
  });

  it('are refused a charge above the price, and the payer keeps its money', async () => {
    const debits = await debitsBy(async () => {
      expect((await buy(`/words/${MAXIMUM + 1n}`)).status).toBe(402);
    });
    expect(debits).toEqual([]);
  });
});
