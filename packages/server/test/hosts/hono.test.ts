import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware as honoMiddleware, paymentMiddleware } from '../../src/hosts/hono/hono.ts';
import { createSeller } from '../../src/index.ts';
import { later } from '../support/facilitator-stub.ts';
import { pay, withPayment } from '../support/payments.ts';
import { eventually, facilitator, offerIn, receiptIn, resources, route } from '../support/shop.ts';

const publicUrl = 'https://shop.example';
const options = { publicUrl, onEvent: () => undefined };

/** Asks without payment, and then with it. */
async function buy(app: Hono, path: string): Promise<Response> {
  const required = offerIn(await app.request(path));
  return app.request(path, { headers: withPayment(pay(required)) });
}

describe('an app of Hono', () => {
  it('charges by a table with the arguments of stock, below a base path and in a router of its own', async () => {
    const server = resources(await facilitator());
    const routes = { 'GET /api/report': route, 'GET /api/sub/map': route };
    const app = new Hono().use(paymentMiddleware(routes, server, options)).basePath('/api');
    app.get('/report', (context) => context.text('a report'));
    app.route(
      '/sub',
      new Hono().get('/map', (context) => context.text('a map')),
    );
    expect(await (await buy(app, '/api/report')).text()).toBe('a report');
    expect(await (await buy(app, '/api/sub/map')).text()).toBe('a map');
  });

  it('charges for the path that it routes by, whatever the URL says', async () => {
    const server = resources(await facilitator());
    const getPath = (request: Request): string => `/paid${new URL(request.url).pathname}`;
    const app = new Hono({ getPath }).use(paymentMiddleware({ 'GET /paid/report': route }, server, options));
    app.get('/paid/report', (context) => context.text('a report'));
    expect(await (await buy(app, '/report')).text()).toBe('a report');
  });

  it('lets nothing that comes after a timeout take the place of what was answered', async () => {
    const [work, early, late] = [later<void>(), later<void>(), later<void>()];
    const seller = createSeller({ server: resources(await facilitator()), ...options, handlerTimeoutMs: 20 });
    const app = new Hono();
    // What stands around the middleware may work on for as long as it likes.
    app.use(async (context, next) => {
      await next();
      if (context.res.status === 402) return;
      early.resolve();
      await late.promise;
    });
    app.use(honoMiddleware(seller.priced(route)));
    app.use(async (context, next) => {
      await next();
      context.res = new Response('paid content');
      late.resolve();
    });
    app.get('/report', async (context) => {
      await work.promise;
      return context.text('paid content');
    });
    const asked = buy(app, '/report');
    await early.promise;
    work.resolve();
    const answer = await asked;
    expect([answer.status, (await answer.text()).includes('paid content')]).toEqual([504, false]);
  });

  it('keeps what the paid answer is marked with, whatever was set before', async () => {
    const app = new Hono();
    app.use(async (context, next) => {
      context.header('Cache-Control', 'public, max-age=60');
      context.header('X-Before', 'here');
      await next();
    });
    app.use(paymentMiddleware({ 'GET /report': route }, resources(await facilitator()), options));
    app.get('/report', (context) => context.text('a report'));
    const { headers } = await buy(app, '/report');
    expect([headers.get('cache-control'), headers.get('x-before')]).toEqual(['private, max-age=60', 'here']);
    expect((await app.request('/report')).headers.get('cache-control')).toBe('no-store');
  });

  it('charges nothing for a handler that answers nothing', async () => {
    const stub = await facilitator();
    const app = new Hono().use(paymentMiddleware({ 'GET /report': route }, resources(stub), options));
    app.get('/report', () => undefined as never);
    app.onError((_error, context) => context.text('failed', 500));
    const answer = await buy(app, '/report');
    expect([answer.status, receiptIn(answer), stub.settles()]).toEqual([500, undefined, []]);
  });

  it('has its clients told apart by addressOf', async () => {
    const stub = await facilitator();
    const seller = createSeller({ server: resources(stub), ...options, maxVerifications: 1 });
    const addressOf = (context: { req: { header: (name: string) => string | undefined } }) =>
      context.req.header('x-client');
    const app = new Hono().use(honoMiddleware(seller.priced(route), { addressOf }));
    app.get('/report', (context) => context.text('a report'));
    const required = offerIn(await app.request('/report'));
    const verdict = later<undefined>();
    stub.onVerify = () => verdict.promise;
    const ask = async (client: string) =>
      app.request('/report', { headers: { ...withPayment(pay(required)), 'X-Client': client } });
    const crowd = Array.from({ length: 30 }, () => ask('192.0.2.1'));
    await eventually(() => stub.verifies().length).toBe(1);
    const other = ask('192.0.2.2');
    verdict.resolve(undefined);
    expect((await other).status).toBe(200);
    await Promise.all(crowd);
  });
});
