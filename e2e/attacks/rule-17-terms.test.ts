import { createSeller, paymentMiddleware, type PaymentOptions, type RoutesConfig } from '@avm402/server';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, paymentFor, reasonOf } from './buyer.ts';
import { type Market, openMarket } from '../market.ts';

let market: Market;
beforeAll(async () => {
  market = await openMarket();
});
afterAll(() => market[Symbol.asyncDispose]());

const quiet: PaymentOptions = { onEvent: () => undefined };

/** A shop whose handler notes for which amount each of its runs was paid. */
async function open(routes: RoutesConfig, handler: RequestHandler) {
  const app = express().use(paymentMiddleware(routes, market.resourceServer(), quiet));
  app.get('/goods', handler);
  return `${await market.open(app)}/goods`;
}

describe('a quote', () => {
  it('for a cheap header is not honoured with a dear one', async () => {
    const price = ({ adapter }: { adapter: { getHeader(name: string): string | undefined } }) =>
      adapter.getHeader('x-quality') === 'high' ? '$5' : '$0.01';
    const sold: unknown[] = [];
    const url = await open({ 'GET /goods': { accepts: { ...market.accepts, price } } }, (request, response) => {
      sold.push(request.get('x-quality'));
      response.end('goods');
    });
    const payment = await paymentFor(market, url, { headers: { 'x-quality': 'low' } });
    const stolen = await ask(url, { ...payment, 'x-quality': 'high' });
    expect([stolen.status, reasonOf(stolen)]).toEqual([402, 'no_matching_offer']);
    expect((await ask(url, { ...payment, 'x-quality': 'low' })).status).toBe(200);
    expect(sold).toEqual(['low']);
  });

  it('of one host buys nothing from another host of the same shop', async () => {
    const { merchant, payer2 } = market.node.accounts;
    const tenants: Record<string, string> = { 'victim.example': merchant.address, 'attacker.example': payer2.address };
    const payTo = ({ adapter }: { adapter: { getHeader(name: string): string | undefined } }) =>
      tenants[adapter.getHeader('host') ?? ''] ?? merchant.address;
    const sold: unknown[] = [];
    const url = await open({ 'GET /goods': { accepts: { ...market.accepts, payTo } } }, (request, response) => {
      sold.push(request.get('host'));
      response.end('goods');
    });
    const payment = await paymentFor(market, url, { headers: { Host: 'attacker.example' } });
    const stolen = await ask(url, { ...payment, Host: 'victim.example' });
    expect([stolen.status, reasonOf(stolen), sold]).toEqual([402, 'no_matching_offer', []]);
  });

  it('does not outlive a change of the receiver', async () => {
    const { merchant, payer2 } = market.node.accounts;
    let [payTo, price] = [payer2.address, '$0.01'];
    const accepts = { ...market.accepts, payTo: () => payTo, price: () => price };
    const url = await open({ 'GET /goods': { accepts } }, (_request, response) => void response.end('goods'));
    const payment = await paymentFor(market, url);
    price = '$0.02';
    payTo = merchant.address;
    const answer = await ask(url, payment);
    expect([answer.status, reasonOf(answer)]).toEqual([402, 'no_matching_offer']);
  });

  it('of a body is not honoured for another one, though nobody kept the bytes', async () => {
    const price = ({ adapter }: { adapter: { getBody?(): unknown } }) =>
      JSON.stringify(adapter.getBody?.()).includes('large') ? '$5' : '$0.01';
    const sold: unknown[] = [];
    const app = express().use(express.json());
    const routes = { 'POST /goods': { accepts: { ...market.accepts, price } } };
    app.use(paymentMiddleware(routes, market.resourceServer(), quiet));
    app.post('/goods', (request, response) => {
      sold.push(request.body);
      response.end('goods');
    });
    const url = `${await market.open(app)}/goods`;
    const json = { 'Content-Type': 'application/json' };
    const payment = await paymentFor(market, url, { headers: json, body: '{"job":"small"}' });
    const stolen = await ask(url, { ...payment, ...json }, '{"job":"large"}');
    expect([stolen.status, reasonOf(stolen), sold]).toEqual([402, 'no_matching_offer', []]);
  });
});

describe('a payment that was given back', () => {
  /** Two prices behind one path: the cheap one is sold as `x-version: 1`. */
  async function twoVersions(extra: Record<string, unknown>, cheap: RequestHandler, isFunction = false) {
    const seller = createSeller({ server: market.resourceServer(), ...quiet });
    const sell = (price: string) =>
      seller.paid({ accepts: { ...market.accepts, price: isFunction ? () => price : price, extra } });
    const [one, two] = [sell('$0.01'), sell('$5')];
    let dearRuns = 0;
    const app = express().use((request, response, next) => {
      const isCheap = request.get('x-version') === '1';
      (isCheap ? one : two)(request, response, next);
    });
    app.get('/goods', (request, response, next) => {
      if (request.get('x-version') === '1') {
        void cheap(request, response, next);
        return;
      }
      dearRuns++;
      response.end('dear goods');
    });
    return { url: `${await market.open(app)}/goods`, dearRuns: () => dearRuns };
  }

  it('is matched anew where it comes to: a cheap one buys nothing dear', async () => {
    const { url, dearRuns } = await twoVersions({}, (_request, response) => void response.sendStatus(304));
    const payment = await paymentFor(market, url, { headers: { 'x-version': '1' } });
    expect((await ask(url, { ...payment, 'x-version': '1' })).status).toBe(304);
    const stolen = await ask(url, { ...payment, 'x-version': '2' });
    expect([stolen.status, reasonOf(stolen), dearRuns()]).toEqual([402, 'no_matching_offer', 0]);
  });

  it('keeps no terms on another host either', async () => {
    let isFailing = true;
    const price = ({ adapter }: { adapter: { getHeader(name: string): string | undefined } }) =>
      adapter.getHeader('host') === 'cheap.example' ? '$0.01' : '$5';
    const url = await open({ 'GET /goods': { accepts: { ...market.accepts, price } } }, (_request, response) => {
      response.status(isFailing ? 503 : 200).end('goods');
    });
    const payment = await paymentFor(market, url, { headers: { Host: 'cheap.example' } });
    expect((await ask(url, { ...payment, Host: 'cheap.example' })).status).toBe(503);
    isFailing = false;
    const stolen = await ask(url, { ...payment, Host: 'dear.example' });
    expect([stolen.status, reasonOf(stolen)]).toEqual([402, 'no_matching_offer']);
  });

  it.each([
    ['fixed prices', false],
    ['prices from one factory', true],
  ])(
    'is not run elsewhere once it is settled: an upfront answer that broke off is made again only there (%s)',
    async (_kind, isFunction) => {
      const breakOff: RequestHandler = (_request, response) => {
        response.write('some');
        response.destroy();
      };
      const { url, dearRuns } = await twoVersions({ paymentFlow: 'upfront' }, breakOff, isFunction);
      const payment = await paymentFor(market, url, { headers: { 'x-version': '1' } });
      await expect(ask(url, { ...payment, 'x-version': '1' })).rejects.toMatchObject({ code: 'ECONNRESET' });
      const stolen = await ask(url, { ...payment, 'x-version': '2' });
      expect([stolen.status, reasonOf(stolen), dearRuns()]).toEqual([402, 'duplicate_payment', 0]);
      expect(stolen.receipt?.success).toBe(true);
    },
  );
});
