import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionSigningBytes } from '@avm402/algorand/transaction';
import { accountFromSeed } from '@avm402/algorand/account';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { createSeller, createMemoryRedemptionStore } from '@avm402/server';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { offerOf, paidHeaders, payFor, receiptOf, transactionOf, txIdOf, withPaymentElement } from '../payment.ts';
import { inTurn, startFlood } from './flood.ts';
import { type Market, openMarket } from '../market.ts';

const PURCHASES = 5;
/** How many others copy each purchase. */
const COPIES = 4;
const CONNECTIONS = 40;

let market: Market;
const store = createMemoryRedemptionStore();
let url: string;
let runs = 0;
beforeAll(async () => {
  market = await openMarket();
  const seller = createSeller({ server: market.resourceServer(), store });
  const app = express();
  app.get(
    '/report',
    seller.paid({ accepts: { ...market.accepts, extra: { paymentFlow: 'upfront' } } }),
    (_request, response) => {
      runs += 1;
      response.json({ report: runs });
    },
  );
  url = `${await market.open(app)}/report`;
});
afterAll(() => market[Symbol.asyncDispose]());

/** The same payment, signed by somebody who claims that the payer is rekeyed to them: the same TxID. */
function copyBy(number: number, payment: PaymentPayload): PaymentPayload {
  const txn = transactionOf(payment);
  const thief = accountFromSeed(new Uint8Array(32).fill(number + 1));
  const signature = thief.sign(transactionSigningBytes(txn));
  return withPaymentElement(payment, () => encodeSignedTransaction({ txn, signature, authAddress: thief.address }));
}

it('while copies with signatures of others come first and without pause, genuine payments are served, once each', async () => {
  const offer = offerOf(await fetch(url));
  const payments = await Promise.all(
    Array.from({ length: PURCHASES }, () => payFor(offer, market.node.accounts.payer, market.node.url)),
  );
  const copies = Array.from({ length: COPIES }, (_, number) =>
    payments.map((payment) => copyBy(number, payment)),
  ).flat();
  const next = inTurn(copies.map((copy) => ({ url, headers: paidHeaders(copy) })));
  const flood = startFlood({ connections: CONNECTIONS, from: '127.0.0.2', next });
  await expect.poll(() => flood.answers.get(402), { timeout: 20_000 }).toBeGreaterThan(CONNECTIONS);
  for (const payment of payments) {
    const served = await fetch(url, { headers: paidHeaders(payment) });
    expect([served.status, receiptOf(served)?.success]).toEqual([200, true]);
  }
  await flood.stop();
  expect([flood.answers.get(200), runs]).toEqual([undefined, PURCHASES]);
});

it('payments that nobody can fund are refused by settle, for as many as come, and leave no row', async () => {
  const offer = offerOf(await fetch(url));
  const before = runs;
  for (let number = 0; number < 20; number++) {
    const seed = crypto.getRandomValues(new Uint8Array(32));
    const { address } = accountFromSeed(seed);
    const stranger = { ...market.node.accounts.payer, address, privateKey: Buffer.from(seed).toString('base64') };
    const payment = await payFor(offer, stranger, market.node.url);
    const refused = await fetch(url, { headers: paidHeaders(payment) });
    expect([refused.status, receiptOf(refused), offerOf(refused).error]).toEqual([
      402,
      undefined,
      'invalid_exact_avm_payer_not_opted_in',
    ]);
    expect(await store.get(txIdOf(payment))).toBeUndefined();
  }
  expect(runs).toBe(before);
});
