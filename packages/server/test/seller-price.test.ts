import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import express from 'express';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSeller, type PaymentEvent, type PriceTerms } from '../src/index.ts';
import { paymentMiddleware } from '../src/hosts/fetch/fetch.ts';
import { merchant, pay, withPayment } from './support/payments.ts';
import { eventually, facilitator, listen, offer, offerAt, offerIn } from './support/shop.ts';

const LONG = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=';
const NOBODY = 'http://127.0.0.1:9';
const quiet = { onEvent: () => undefined };
const payTo = merchant;

afterEach(() => vi.unstubAllEnvs());

describe('a seller’s price', () => {
  it('becomes offers when the facilitator answers, and needs none before', async () => {
    const stub = await facilitator({ networks: [ALGORAND_TESTNET, LONG] });
    let now = 1_000_000;
    stub.onSupported = () => (now === 1_000_000 ? { status: 503, body: {} } : undefined);
    const seller = createSeller({ facilitator: stub.url, monotonicNow: () => now, ...quiet });
    const app = express().use(seller.middleware({ 'GET /joke': seller.price('$0.01', { payTo }) }));
    app.get('/joke', (_request, response) => void response.send('goods'));
    const url = `${await listen(app)}/joke`;
    expect((await fetch(url)).status).toBe(503);
    now += 2_000;
    const offered = await offerAt(url);
    expect(offered.accepts.map(({ network, amount }) => [network, amount])).toEqual([
      [LONG, '10000'],
      [ALGORAND_TESTNET, '10000'],
    ]);
    const answer = await fetch(url, { headers: withPayment(pay(offered)) });
    expect([answer.status, await answer.text()]).toEqual([200, 'goods']);
  });

  it('stands for a whole route, for its accepts, or beside offers of another kind', async () => {
    const stub = await facilitator();
    const seller = createSeller({ facilitator: stub.url, ...quiet });
    const price = seller.price('$0.02', { payTo });
    const routes = {
      'GET /a': price,
      'GET /b': { accepts: price, description: 'b' },
      'GET /c': { accepts: [offer, price] },
    };
    const url = await listen(express().use(seller.middleware(routes)).use('/d', seller.paid(price)));
    const amounts = async (path: string) => (await offerAt(url + path)).accepts.map(({ amount }) => amount);
    expect(await amounts('/a')).toEqual(['20000']);
    expect((await offerAt(`${url}/b`)).resource.description).toBe('b');
    expect(await amounts('/c')).toEqual(['10000', '20000']);
    expect(await amounts('/d')).toEqual(['20000']);
  });

  it('may depend on the request, and holds for the buyer who was told it', async () => {
    const stub = await facilitator();
    const seller = createSeller({ facilitator: stub.url, ...quiet });
    let cents = 1;
    const price = seller.price(() => `$0.0${cents}`, { payTo });
    const url = await listen(express().use(seller.paid(price), (_request, response) => void response.send('goods')));
    const told = await offerAt(url);
    cents = 2;
    expect((await offerAt(url)).accepts[0]?.amount).toBe('20000');
    expect((await fetch(url, { headers: withPayment(pay(told)) })).status).toBe(200);
  });

  it('stays on the network that it was first sold on, whatever the facilitator says later', async () => {
    const stub = await facilitator();
    let now = 1_000_000;
    const seller = createSeller({ facilitator: stub.url, monotonicNow: () => now, ...quiet });
    const url = await listen(express().use(seller.paid(seller.price('$0.01', { payTo }))));
    expect((await offerAt(url)).accepts[0]?.network).toBe(ALGORAND_TESTNET);
    stub.options = { ...stub.options, networks: [ALGORAND_MAINNET] };
    now += 10 * 60_000;
    await fetch(url);
    await eventually(() => fetch(url).then(({ status }) => status)).toBe(500);
  });

  it.each<[string, string, Partial<PriceTerms>, string]>([
    ['a receiver that is not set', '$0.01', { payTo: undefined }, 'invalid_pay_to'],
    ['an empty receiver', '$0.01', { payTo: '' }, 'invalid_pay_to'],
    ['a receiver that is no address', '$0.01', { payTo: 'me' }, 'invalid_pay_to'],
    ['a price below the smallest unit', '$0.0000001', {}, 'price_too_precise'],
    ['nothing', '$0', {}, 'price_not_positive'],
    ['a price that is no price', 'a cent', {}, 'invalid_price'],
    ['a network that is none of Algorand’s', '$0.01', { network: 'eip155:1' }, 'unsupported_network'],
  ])('refuses %s at once', (_what, price, terms, code) => {
    const seller = createSeller({ facilitator: NOBODY, ...quiet });
    expect(() => seller.price(price, { payTo, ...terms })).toThrow(expect.objectContaining({ code }));
  });

  it('names the route when it asks for a scheme that the seller does not take', () => {
    const seller = createSeller({ facilitator: NOBODY, ...quiet });
    const price = seller.price('$0.01', { payTo, schemes: ['batch-settlement'] });
    expect(() => seller.middleware({ 'GET /a': price })).toThrow(
      expect.objectContaining({ code: 'unsupported_scheme', message: expect.stringContaining('GET /a') }),
    );
  });
});

describe('without a facilitator', () => {
  it('a line after a second says what is missing and how to start one, once for all routes', async () => {
    const events: PaymentEvent[] = [];
    const seller = createSeller({ facilitator: NOBODY, onEvent: (event) => void events.push(event) });
    const price = seller.price('$0.01', { payTo });
    const [one, other] = [seller.paid(price), seller.paid(price)];
    const begin = performance.now();
    await eventually(() => events.length).toBe(1);
    expect(performance.now() - begin).toBeGreaterThan(1_000);
    const message = expect.stringMatching(/waiting.*127\.0\.0\.1:9.*ECONNREFUSED.*npx @avm402\/facilitator/);
    expect(events).toMatchObject([{ type: 'warned', code: 'facilitator_unreachable', error: { message } }]);
    for (const { ready } of [one, other]) ready.catch(() => undefined);
  });

  it('Next builds, and asks nobody', async () => {
    vi.stubEnv('NEXT_PHASE', 'phase-production-build');
    onTestFinished(() => void vi.unstubAllEnvs());
    const stub = await facilitator();
    let asked = 0;
    stub.onSupported = () => void asked++;
    const seller = createSeller({ facilitator: stub.url, publicUrl: 'https://api.example.com', ...quiet });
    const sell = paymentMiddleware(seller.priced(seller.price('$0.01', { payTo })), () => new Response('goods'));
    await new Promise(setImmediate);
    expect(asked).toBe(0);
    expect(offerIn(await sell(new Request('https://api.example.com/'))).accepts).toHaveLength(1);
  });
});
