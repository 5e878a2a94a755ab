import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { paymentMiddleware } from '@avm402/server';
import { USDC } from '@avm402/stack/balances';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askFacilitator, refusalIn } from '../ask-facilitator.ts';
import { paidHeaders } from '../payment.ts';
import { ask, paymentFor, reasonOf } from './buyer.ts';
import { type Market, openMarket } from '../market.ts';
import { slowPayment } from './slow-payment.ts';

const REQUESTS = 20;
/** Wide: a request costs some milliseconds, and cost up to 160. */
const BOUND_MS = 30;

let market: Market;
let shop: string;
beforeAll(async () => {
  market = await openMarket();
  const app = express().use(
    paymentMiddleware({ 'GET /goods': { accepts: market.accepts } }, market.resourceServer(), {
      maxHeaderBytes: 16_384,
      onEvent: () => undefined,
    }),
  );
  app.get('/goods', (_request, response) => void response.end('goods'));
  shop = `${await market.open(app)}/goods`;
});
afterAll(() => market[Symbol.asyncDispose]());

/** Makes a `slowPayment` for an offer of a merchant who sponsors nothing unless the changes say so. */
function slow(keys: number, changes: Partial<PaymentRequirements> = {}): PaymentPayload {
  const accepted: PaymentRequirements = {
    scheme: 'exact',
    network: ALGORAND_TESTNET,
    asset: String(USDC),
    amount: '10000',
    payTo: market.accepts.payTo,
    maxTimeoutSeconds: 60,
    extra: {},
    ...changes,
  };
  return slowPayment(keys, accepted, market.node);
}

async function verify(payment: PaymentPayload): Promise<string> {
  return refusalIn(await askFacilitator(market.facilitatorUrl, 'verify', payment));
}

/** CPU milliseconds of this process, seller, facilitator and node included, for one of many requests. */
async function costOf(request: () => Promise<string>): Promise<{ readonly answer: string; readonly ms: number }> {
  const answer = await request();
  const before = process.cpuUsage();
  for (let count = 0; count < REQUESTS; count += 1) await request();
  const { user, system } = process.cpuUsage(before);
  return { answer, ms: (user + system) / 1000 / REQUESTS };
}

describe('a payment whose signatures are slow to verify', () => {
  it.each([
    ['a hundred', 100, 'invalid_exact_avm_too_many_signatures'],
    ['sixteen', 16, 'invalid_exact_avm_invalid_signature'],
    ['two', 2, 'invalid_exact_avm_invalid_signature'],
  ])('costs a facilitator little with %s of them', async (_count, keys, reason) => {
    const payment = slow(keys);
    const { answer, ms } = await costOf(() => verify(payment));
    console.log(`/verify with ${keys} slow signatures: ${ms.toFixed(1)} ms CPU, ${answer}`);
    expect(answer).toBe(reason);
    expect(ms).toBeLessThan(BOUND_MS);
  });

  it('costs a seller little, and a genuine buyer among hundreds of them is served', async () => {
    const hostile = paidHeaders(slow(60, sponsored()));
    const { answer, ms } = await costOf(async () => reasonOf(await ask(shop, hostile)));
    console.log(`a request with 60 slow signatures: ${ms.toFixed(1)} ms CPU, ${answer}`);
    expect(answer).toBe('invalid_exact_avm_too_many_signatures');
    expect(ms).toBeLessThan(BOUND_MS);

    const payment = await paymentFor(market, shop);
    const flood = Array.from({ length: 200 }, () => ask(shop, hostile));
    const start = performance.now();
    const bought = await ask(shop, payment);
    console.log(`a genuine buyer among them: ${Math.round(performance.now() - start)} ms`);
    expect([bought.status, bought.text]).toEqual([200, 'goods']);
    expect(new Set((await Promise.all(flood)).map(reasonOf))).toEqual(new Set([answer]));
  });

  it('is not looked at for an offer that nobody made', async () => {
    const payment = slow(1, { ...sponsored(), amount: '9999' });
    const headers = paidHeaders({ ...payment, payload: withBadSignature(payment) });
    expect(reasonOf(await ask(shop, headers))).toBe('no_matching_offer');
  });

  it('is a payment like any other with one of them', async () => {
    expect(await verify(slow(1))).toBe('invalid_exact_avm_insufficient_balance');
  });
});

/** The change that makes it what the shop offers: the facilitator would pay the fee. */
function sponsored(): Partial<PaymentRequirements> {
  return { extra: { feePayer: market.node.accounts.facilitator.address } };
}

/** The payload with the last byte of its transaction changed: that of a signature. */
function withBadSignature({ payload }: PaymentPayload): Record<string, unknown> {
  const [member = ''] = payload['paymentGroup'] as string[];
  const bytes = Buffer.from(member, 'base64');
  const at = bytes.indexOf(Buffer.from([0xa1, 0x73, 0xc4, 0x40])) + 4;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return { ...payload, paymentGroup: [bytes.toString('base64')] };
}
