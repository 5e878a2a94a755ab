import { text } from 'node:stream/consumers';
import { paymentMiddleware } from '@avm402/server';
import express, { type Express, type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, paymentFor, reasonOf } from './buyer.ts';
import { type Market, openMarket } from '../market.ts';

let market: Market;
beforeAll(async () => {
  market = await openMarket();
});
afterAll(() => market[Symbol.asyncDispose]());

const json = { 'Content-Type': 'application/json' };
const small = '{"size":1}';

/** A shop of jobs, each answered with what it was; `before` reads the body before the payments do. */
async function jobs(before: (app: Express) => void) {
  const app = express();
  before(app);
  const routes = { 'POST /jobs': { accepts: market.accepts } };
  app.use(paymentMiddleware(routes, market.resourceServer(), { onEvent: () => undefined }));
  let runs = 0;
  app.post('/jobs', async (request, response) => {
    runs++;
    const elsewhere: unknown = Reflect.get(request, 'job');
    response.json(elsewhere ?? request.body ?? (await text(request)));
  });
  return { url: `${await market.open(app)}/jobs`, runs: () => runs };
}

const keptElsewhere: RequestHandler = async (request, _response, next) => {
  Object.assign(request, { job: await text(request) });
  next();
};

describe('a stored response', () => {
  it.each<[string, RequestHandler]>([
    ['a middleware that keeps it elsewhere', keptElsewhere],
    ['a parser that leaves out what JSON can not say', express.json()],
  ])('is not given for a body that was read by %s', async (_reader, reader) => {
    const { url, runs } = await jobs((app) => void app.use(reader));
    const payment = await paymentFor(market, url, { headers: json, body: small });
    expect((await ask(url, { ...json, ...payment }, small)).status).toBe(200);
    for (const body of [small, '{"size":1e999}', '{"size":null}']) {
      const again = await ask(url, { ...json, ...payment }, body);
      expect([again.status, reasonOf(again), again.receipt?.success]).toEqual([402, 'duplicate_payment', true]);
    }
    expect(runs()).toBe(1);
  });

  it.each([
    ['another body', {}, '{"size":2}', ''],
    ['another host', { Host: 'other.example' }, small, ''],
    ['another query', {}, small, '?page=2'],
    ['another content type', { 'Content-Type': 'text/plain' }, small, ''],
  ])('is not given for %s', async (_what, change, body, query) => {
    const { url, runs } = await jobs(() => undefined);
    const payment = await paymentFor(market, url, { headers: json, body: small });
    const first = await ask(url, { ...json, ...payment }, small);
    const same = await ask(url, { ...json, ...payment }, small);
    expect([first.status, same.status, same.text]).toEqual([200, 200, first.text]);
    const other = await ask(`${url}${query}`, { ...json, ...payment, ...change }, body);
    expect([other.status, reasonOf(other), runs()]).toEqual([409, 'payment_id_conflict', 1]);
  });
});
