import { paymentMiddleware } from '@avm402/server';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Market, openMarket } from '../market.ts';

/** Wide: matching takes a millisecond, and took from 27 seconds to minutes. */
const BOUND_MS = 3_000;
const LENGTH = 15_000;

let market: Market;
beforeAll(async () => {
  market = await openMarket();
});
afterAll(() => market[Symbol.asyncDispose]());

/** Milliseconds until a shop that sells `pattern` has answered GET `path`, and another request behind it. */
async function timeOf(pattern: string, path: string): Promise<{ readonly status: number; readonly ms: number }> {
  const app = express().use(paymentMiddleware({ [pattern]: { accepts: market.accepts } }, market.resourceServer()));
  const url = await market.open(app);
  const start = performance.now();
  const [{ status }] = await Promise.all([fetch(`${url}${path}`), fetch(`${url}/health`)]);
  return { status, ms: performance.now() - start };
}

describe('a request path of 15 KB', () => {
  it.each([
    ['GET /repos/*/tree/*/raw/*/blob', '/repos', '/tree/raw'],
    ['GET /repos/*/tree/*/raw/*/blob', '/repos', '/x/tree/x/raw'],
    ['GET /flights/:from-:to-:date.json', '/flights/', '-'],
    ['GET /flights/:from-:to-:date.json', '/flights/', 'a-a'],
    ['GET /a*-b*-c*-d*-e*-f*-g', '/', 'a-b-c-d-e-f-'],
  ])('costs a server that sells %s no noticeable time: %s%s…', async (pattern, start, repeated) => {
    const path = start + repeated.repeat(Math.ceil(LENGTH / repeated.length)).slice(0, LENGTH);
    const { status, ms } = await timeOf(pattern, path);
    console.log(`${pattern}: ${path.length} characters answered in ${Math.round(ms)} ms`);
    expect(status).toBe(404);
    expect(ms).toBeLessThan(BOUND_MS);
  });

  it('is charged for where it matches', async () => {
    const { status, ms } = await timeOf('GET /repos/*/tree/*/raw/*/blob', `/repos/${'tree/raw/'.repeat(1_600)}x/blob`);
    expect(status).toBe(402);
    expect(ms).toBeLessThan(BOUND_MS);
  });
});
