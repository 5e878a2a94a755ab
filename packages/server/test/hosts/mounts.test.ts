import { getRequestListener } from '@hono/node-server';
import express, { Router } from 'express';
import Fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware as fastifyHook } from '../../src/hosts/fastify/fastify.ts';
import { paymentMiddleware as honoMiddleware } from '../../src/hosts/hono/hono.ts';
import { createSeller, type PaymentEvent, type PricedRoutes, type Seller } from '../../src/index.ts';
import { rawRequest, statusIn } from '../support/raw-request.ts';
import { afterwards, facilitator, listen, resources, route } from '../support/shop.ts';

async function openSeller(events: PaymentEvent[] = []): Promise<Seller> {
  const onEvent = (event: PaymentEvent): void => void events.push(event);
  return createSeller({ server: resources(await facilitator()), publicUrl: 'https://shop.example', onEvent });
}

/** An app with a part below a path; the table of the part is written as the part sees its paths. */
type Mount = (priced: PricedRoutes, seller: Seller) => Promise<(path: string) => Promise<number>>;

const routes = { 'GET /report': route };
const asking = (app: Hono) => async (path: string) => (await app.request(path)).status;
const part = (...use: [string, PricedRoutes]): Hono =>
  new Hono().use(use[0], honoMiddleware(use[1])).get('/report', (context) => context.text('a report'));

async function askingFastify(app: FastifyInstance) {
  afterwards(() => app.close());
  return async (path: string) => (await app.inject(path)).statusCode;
}

const mounts: readonly (readonly [string, Mount])[] = [
  [
    'a router of Express',
    async (_priced, seller) => {
      const app = express().use(
        '/api',
        Router()
          .use(seller.middleware(routes))
          .get('/report', (_request, response) => void response.send('a report')),
      );
      const site = await listen(app);
      return async (path) => (await fetch(site + path)).status;
    },
  ],
  ['app.route of Hono', async (priced) => asking(new Hono().route('/api', part('*', priced)))],
  [
    'app.route of Hono, twice',
    async (priced) => asking(new Hono().route('/a', new Hono().route('/:b', part('*', priced)))),
  ],
  [
    'basePath of Hono',
    async (priced) =>
      asking(
        new Hono()
          .basePath('/api')
          .use(honoMiddleware(priced))
          .get('/report', (context) => context.text('a report')),
      ),
  ],
  [
    'a path that Hono’s middleware is used at',
    async (priced) =>
      asking(
        new Hono().use('/api/*', honoMiddleware(priced)).get('/api/report', (context) => context.text('a report')),
      ),
  ],
  [
    'a handler of an app that is mounted below a path of Hono’s',
    async (priced) => asking(new Hono().mount('/api', part('*', priced).fetch)),
  ],
  [
    'prefix of Fastify',
    async (priced) =>
      askingFastify(
        Fastify().register(
          async (plugin) =>
            void plugin.addHook('onRequest', fastifyHook(priced)).get('/report', async () => 'a report'),
          { prefix: '/api' },
        ),
      ),
  ],
  [
    'prefix of Fastify, twice, the hook on the outer one',
    async (priced) =>
      askingFastify(
        Fastify().register(
          async (outer) => {
            outer.addHook('onRequest', fastifyHook(priced));
            outer.register(async (inner) => void inner.get('/', async () => 'a report'), { prefix: '/report' });
          },
          { prefix: '/:shop' },
        ),
      ),
  ],
];

describe.each(mounts)('a table below %s', (name, mount) => {
  it('charges for the paths of its part, as it is written', async () => {
    const seller = await openSeller();
    const ask = await mount(seller.pricedRoutes(routes), seller);
    const base = name === 'app.route of Hono, twice' ? '/a/b' : '/api';
    expect(await ask(`${base}/report`)).toBe(402);
    expect(await ask(`${base}/other`)).toBe(404);
  });
});

/** The status with which a part of Hono's below a base answers; its one handler is charged for. */
async function inHono(base: string, handler: string, asked: string): Promise<number> {
  const priced = (await openSeller()).pricedRoutes({ [`GET ${handler}`]: route });
  const sold = new Hono().get(handler, honoMiddleware(priced), (context) => context.text('paid content'));
  const app = new Hono().route(
    base,
    sold.get('/free', honoMiddleware(priced), (context) => context.text('free')),
  );
  // Other tests of this worker need the process's own Request and Response.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return statusIn(await rawRequest(await listen((request, response) => void listener(request, response)), asked));
}

describe('below a base of Hono’s, what its router leads to a priced handler is charged for', () => {
  it.each([
    ['/:shop{.+}', '/report', '/a/b/report'],
    ['/:shop{.+}', '/maps/:id', '/a/b/maps/7'],
    ['/at/:shop{.+}', '/report', '/at/a/b/report'],
    ['/at/:shop{.*}', '/report', '/at//report'],
    ['/:shop{[^/]+}', '/report', '/a/report'],
    ['/:shop{[a-z]+/[a-z]+}', '/report', '/a/b/report'],
    ['/:shop{.+}', '/report', '/a/b/%72eport'],
    ['/at/*', '/report', '/at/a/report'],
    ['/api', '/maps/*', '/api/maps/7'],
    ['/:shop', '/maps/*', '/a/maps/7'],
  ])('%s: %s', async (base, handler, asked) => {
    expect(await inHono(base, handler, asked)).toBe(402);
  });

  it.each([
    ['/:shop{.+}', '/a/b/free'],
    ['/:shop{[a-z0-9-]+}', '/a-1/free'],
    ['/:shop{en|de}', '/en/free'],
    ['/api', '/api/free'],
  ])('%s: nothing else is', async (base, asked) => {
    expect(await inHono(base, '/report', asked)).toBe(200);
  });

  it.each(['/:shop{[a-z0-9-]+}', '/:shop{en|de}', '/:shop'])(
    '%s takes one segment, so a key is not taken for the end of a longer path',
    async (base) => {
      const seller = await openSeller();
      const paid = honoMiddleware(seller.pricedRoutes(routes));
      const below = new Hono().get('/free/report', paid, (context) => context.text('free'));
      expect(await asking(new Hono().route(base, below))('/en/free/report')).toBe(200);
    },
  );
});

describe('what Fastify leads to a priced handler is charged for, however it reads the parameters', () => {
  it.each([
    ['/at/:shop', '/maps/*', 'GET /maps/*', '/at//maps/7'],
    ['/at/:shop', '/maps/*', 'GET /maps/:id', '/at//maps/7'],
    ['/at/:shop', '/maps/:id', 'GET /maps/7', '/at//maps/7'],
    ['/:shop([^/]+)', '/maps/*', 'GET /maps/*', '/a/maps/7'],
    ['/:shop(^(?:a|b)$)', '/maps/*', 'GET /maps/*', '/a/maps/7'],
    ['', '/at/:shop/maps/*', 'GET /at/:shop/maps/*', '/at//maps/7'],
    ['', '/of:shop/maps/*', 'GET /of:shop/maps/*', '/of/maps/7'],
    ['', '/:from-:to/maps/*', 'GET /:from-:to/maps/*', '/-/maps/7'],
    ['/a::b/:shop', '/maps/*', 'GET /maps/*', '/a:b//maps/7'],
  ])('%s, %s: %s', async (prefix, handler, key, asked) => {
    const hook = fastifyHook((await openSeller()).pricedRoutes({ [key]: route }));
    const app = Fastify({ forceCloseConnections: true });
    app.register(
      async (plugin) => {
        plugin.addHook('onRequest', hook).get(handler, () => 'paid content');
        plugin.get('/free/*', () => 'free');
      },
      { prefix },
    );
    afterwards(() => app.close());
    const site = await app.listen({ port: 0, host: '127.0.0.1' });
    expect(statusIn(await rawRequest(site, asked))).toBe(402);
    expect(statusIn(await rawRequest(site, asked.replace('maps', 'free')))).toBe(prefix === '' ? 404 : 200);
  });
});

it('a table at the root of Fastify takes nothing for its own that is so called below a prefix', async () => {
  const seller = await openSeller();
  const app = Fastify().addHook('onRequest', fastifyHook(seller.pricedRoutes(routes)));
  app.register(async (plugin) => void plugin.get('/report', async () => 'free'), { prefix: '/api' });
  app.get('/report', async () => 'a report');
  const ask = await askingFastify(app);
  expect([await ask('/api/report'), await ask('/report')]).toEqual([200, 402]);
});

it('a table at the root of Hono takes nothing for its own that is so called below a mount', async () => {
  const seller = await openSeller();
  const free = new Hono().get('/report', (context) => context.text('free'));
  const ask = asking(new Hono().use(honoMiddleware(seller.pricedRoutes(routes))).route('/api', free));
  expect([await ask('/api/report'), await ask('/report')]).toEqual([200, 402]);
});

describe('a table none of whose routes is matched', () => {
  const warnings = (events: readonly PaymentEvent[]) => events.filter(({ type }) => type === 'warned');
  const askOften = async (site: string, times: number): Promise<void> => {
    for (let asked = 0; asked < times; asked++) await fetch(`${site}/v2/report`);
  };

  it('says so once, with the path that passed unpaid', async () => {
    const events: PaymentEvent[] = [];
    const seller = await openSeller(events);
    const site = await listen(express().use(seller.middleware({ ...routes, 'GET /map': route })));
    await askOften(site, 99);
    expect(warnings(events)).toEqual([]);
    await askOften(site, 102);
    expect(warnings(events)).toEqual([
      { type: 'warned', route: 'GET /report', code: 'routes_never_matched', error: expect.any(Error) },
    ]);
    expect(String(warnings(events)[0]?.error)).toContain('/v2/report');
  });

  it('says nothing when one was', async () => {
    const events: PaymentEvent[] = [];
    const seller = await openSeller(events);
    const site = await listen(express().use(seller.middleware({ ...routes, 'GET /map': route })));
    await fetch(`${site}/map`);
    await askOften(site, 101);
    expect(warnings(events)).toEqual([]);
  });
});
