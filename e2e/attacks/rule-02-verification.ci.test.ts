import { accountFromSeed } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { type Stack, startStack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstOffered, offerOf, paidHeaders, payFor, signPayment } from '../payment.ts';
import { inTurn, startFlood } from './flood.ts';

const CONNECTIONS = 600;
/** The buyer's address; the flood comes from others. */
const HOME = '127.0.0.1';
const PURCHASES = 3;

let stack: Stack;
let url: string;
let strangers: readonly Readonly<Record<string, string>>[];
beforeAll(async () => {
  stack = await startStack();
  url = `${stack.weather.url}/weather`;
  strangers = await paymentsOfUnfunded(CONNECTIONS);
});
afterAll(() => stack.stop());

/** Headers with payments that are right in all but that nobody can fund them: only the chain tells. */
async function paymentsOfUnfunded(count: number): Promise<Readonly<Record<string, string>>[]> {
  const accepted = firstOffered(offerOf(await fetch(url)));
  const algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  const payments = [];
  for (let index = 0; index < count; index++) {
    const account = accountFromSeed(crypto.getRandomValues(new Uint8Array(32)));
    payments.push(paidHeaders(await signPayment(accepted, account, algod)));
  }
  return payments;
}

/** Milliseconds of each purchase, one after the other; fails at the first that is not served. */
async function purchases(): Promise<number[]> {
  const took = [];
  for (let count = 0; count < PURCHASES; count++) {
    const start = performance.now();
    const payment = await payFor(offerOf(await fetch(url)), stack.accounts.payer, stack.node.url);
    const answer = await fetch(url, { headers: paidHeaders(payment) });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ report: expect.anything() })]);
    took.push(performance.now() - start);
  }
  return took;
}

describe(`while ${CONNECTIONS} connections present payments of unfunded accounts without pause`, () => {
  it.each([
    ['from many addresses', Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`)],
    ['from the address of the buyer', [HOME]],
  ])('%s, every genuine payment is served', async (_name, addresses) => {
    const next = inTurn(strangers.map((headers) => ({ url, headers })));
    const floods = addresses.map((from) => startFlood({ connections: CONNECTIONS / addresses.length, from, next }));
    await expect
      .poll(() => Math.min(...floods.map(({ answers }) => answers.size)), { timeout: 30_000 })
      .toBeGreaterThan(0);
    const took = await purchases();
    await Promise.all(floods.map((flood) => flood.stop()));
    const answers = floods.map((flood) => Object.fromEntries(flood.answers));
    console.log(
      `purchases took ${took.map(Math.round).join(', ')} ms; the flood got ${JSON.stringify(answers.slice(0, 2))}`,
    );
    for (const { answers: got } of floods) expect(got.get(200)).toBeUndefined();
  });
});
