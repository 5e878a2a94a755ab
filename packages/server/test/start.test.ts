import { createServer } from 'node:http';
import { once } from 'node:events';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import express, { type RequestHandler } from 'express';
import { describe, expect, it, vi } from 'vitest';
import { paid, paymentMiddleware, type PaymentEvent } from '../src/index.ts';
import { afterwards, eventually, facilitator, listen, offer, resources, route } from './support/shop.ts';

const server = resources({ url: 'http://127.0.0.1:9' });
const quiet = { onEvent: () => undefined };

/** Calls with arguments that the types forbid, as an app in JavaScript may. */
function start(routes: unknown, given: unknown = server): unknown {
  return Reflect.apply(paymentMiddleware, undefined, [routes, given, quiet]);
}

describe('a seller that is started wrongly is told at once what is wrong, by name', () => {
  const { payTo: _payTo, ...withoutPayTo } = offer;
  const { price: _price, ...withoutPrice } = offer;
  const { network: _network, ...withoutNetwork } = offer;
  const { scheme: _scheme, ...withoutScheme } = offer;
  const one = (accepts: unknown) => ({ 'GET /a': { accepts } });
  it.each([
    [
      'no routes',
      undefined,
      'invalid_route',
      'routes are missing: paymentMiddleware({ "GET /path": { accepts } }, server)',
    ],
    ['null as routes', null, 'invalid_route', 'routes are missing'],
    ['text as routes', 'GET /a', 'invalid_route', 'routes are missing'],
    ['a route that is undefined', { 'GET /a': undefined }, 'invalid_route', 'route "GET /a": accepts is missing'],
    ['no accepts', { 'GET /a': { description: 'x' } }, 'invalid_route', 'route "GET /a": accepts is missing'],
    ['accepts undefined', one(undefined), 'invalid_route', 'route "GET /a": accepts is missing'],
    ['an empty accepts', one([]), 'invalid_route', 'route "GET /a": accepts is empty'],
    ['an accepts that is no object', one(['exact']), 'invalid_route', 'route "GET /a": accepts is missing'],
    ['payTo undefined', one({ ...offer, payTo: undefined }), 'invalid_pay_to', 'route "GET /a": payTo is missing'],
    ['no payTo', one(withoutPayTo), 'invalid_pay_to', 'route "GET /a": payTo is missing'],
    ['an empty payTo', one({ ...offer, payTo: '' }), 'invalid_pay_to', 'route "GET /a": payTo is missing'],
    ['no price', one([offer, withoutPrice]), 'invalid_price', 'route "GET /a": price is missing'],
    ['no network', one(withoutNetwork), 'unsupported_network', 'route "GET /a": network is missing'],
    ['no scheme', one(withoutScheme), 'unsupported_scheme', 'route "GET /a": scheme is missing'],
    [
      'a mistyped key',
      { 'GET /a': { accepts: offer, descripton: 'x' } },
      'invalid_route',
      'route "GET /a": descripton is unknown (did you mean description?)',
    ],
    [
      'a mistyped key of an offer',
      one({ ...offer, maxTimeoutSecond: 5 }),
      'invalid_route',
      'route "GET /a": maxTimeoutSecond in accepts is unknown (did you mean maxTimeoutSeconds?)',
    ],
    [
      'a key like no other',
      { 'GET /a': { accepts: offer, xyz: 1 } },
      'invalid_route',
      'xyz is unknown; there are accepts',
    ],
  ])('%s', (_name, routes, code, message) => {
    expect(() => start(routes)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  it('no server, or something else in its place', () => {
    for (const given of [undefined, null, {}, route]) {
      expect(() => start({ 'GET /a': route }, given ?? null)).toThrow(
        expect.objectContaining({
          code: 'incompatible_resource_server',
          message: expect.stringContaining('paymentMiddleware(routes, server)'),
        }),
      );
    }
  });

  it('the same holds for a price on a handler itself', () => {
    const config = { accepts: { ...offer, payTo: undefined } };
    expect(() => Reflect.apply(paid, undefined, [config, server, quiet])).toThrow(
      expect.objectContaining({ code: 'invalid_pay_to' }),
    );
    expect(() => Reflect.apply(paid, undefined, [undefined, server, quiet])).toThrow(
      expect.objectContaining({ code: 'invalid_route', message: expect.stringContaining('accepts is missing') }),
    );
  });

  it('an option that is mistyped is named with the likely one', () => {
    expect(() =>
      Reflect.apply(paymentMiddleware, undefined, [{ 'GET /a': route }, server, { maxHeldByte: 1 }]),
    ).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: expect.stringContaining('did you mean maxHeldBytes?'),
      }),
    );
  });
});

describe('what a seller should know before the first request', () => {
  it('is told once: a description longer than catalogues take', async () => {
    const events: PaymentEvent[] = [];
    const onEvent = (event: PaymentEvent): void => void events.push(event);
    const [long, full] = [501, 500].map((length) => ({ ...route, description: 'x'.repeat(length) }));
    const handler = paymentMiddleware(
      { 'GET /long': long ?? route, 'GET /full': full ?? route },
      resources(await facilitator()),
      {
        onEvent,
      },
    );
    await handler.ready;
    expect(events).toEqual([
      { type: 'warned', route: 'GET /long', code: 'description_too_long', error: expect.any(Error) },
    ]);
  });
});

describe('a facilitator that can’t be used is named with its URL and the cause, to the seller', () => {
  async function told(url: string) {
    const events: PaymentEvent[] = [];
    const handler = paymentMiddleware({ 'GET /a': route }, resources({ url }), {
      onEvent: (event) => events.push(event),
    });
    const error: unknown = await handler.ready.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const answer = await fetch(`${await listen(express().use(handler))}/a`);
    return { error, events, status: answer.status, body: await answer.text() };
  }

  it('because nothing listens there', async () => {
    const { error, events, status, body } = await told('http://127.0.0.1:9');
    const message = expect.stringMatching(/http:\/\/127\.0\.0\.1:9 could not be reached \(connect ECONNREFUSED/);
    expect(error).toMatchObject({ code: 'facilitator_unreachable', message });
    expect(events[0]).toMatchObject({ type: 'failed', error: { message } });
    expect(status).toBe(503);
    expect(body).not.toContain('127.0.0.1');
  });

  it('because something else does', async () => {
    const site = await listen(express().use((_request, response) => void response.status(404).send('<h1>shop</h1>')));
    const { error, status, body } = await told(site);
    expect(error).toMatchObject({ message: expect.stringContaining(`${site} answered with status 404`) });
    expect(status).toBe(503);
    expect(body).not.toContain('127.0.0.1');
  });

  it('because what it answers is no /supported', async () => {
    const site = await listen(express().use((_request, response) => void response.json({ hello: 'world' })));
    const { error, body } = await told(site);
    expect(error).toMatchObject({
      message: expect.stringContaining(`${site} answered something that is not an x402 answer`),
    });
    expect(body).not.toContain('127.0.0.1');
  });

  it('because it serves other networks only', async () => {
    const stub = await facilitator({ networks: ['algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDf'] });
    const { error } = await told(stub.url);
    expect(error).toMatchObject({
      message: expect.stringContaining(`no facilitator supports exact on ${ALGORAND_TESTNET}: ${stub.url} (`),
    });
  });
});

describe('without Express', () => {
  it('a request is answered what is needed, and never reaches what is behind', async () => {
    const stub = await facilitator();
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    afterwards(async () => errors.mockRestore());
    const handler: RequestHandler = paymentMiddleware({ 'GET /a': route }, resources(stub));
    let reached = 0;
    const bare = createServer((request, response) => {
      Reflect.apply(handler, undefined, [request, response, () => reached++]);
    }).listen(0, '127.0.0.1');
    await once(bare, 'listening');
    afterwards(async () => {
      bare.close();
      bare.closeAllConnections();
    });
    const address = bare.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    for (const path of ['/a', '/free']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'express_required' }]);
    }
    expect(reached).toBe(0);
    await eventually(() => errors.mock.calls.flat().join(' ')).toContain('Express');
  });
});
