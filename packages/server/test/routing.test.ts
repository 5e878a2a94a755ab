import express, { type ErrorRequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { paid, paymentMiddleware } from '../src/index.ts';
import { pay, withPayment } from './support/payments.ts';
import { rawRequest, statusIn } from './support/raw-request.ts';
import { facilitator, listen, offer, offerAt, offerIn, openShop, receiptIn, resources, route } from './support/shop.ts';

const quiet = { onEvent: () => undefined };

describe('a middleware that is mounted below a path', () => {
  it('charges for routes that are written with the whole path', async () => {
    const app = express();
    app.use('/api', paymentMiddleware({ 'GET /api/data': route }, resources(await facilitator()), quiet));
    app.get('/api/data', (_request, response) => void response.send('data'));
    expect((await fetch(`${await listen(app)}/api/data`)).status).toBe(402);
  });

  it('charges for routes that are written as its router sees them', async () => {
    const router = express.Router();
    router.use(paymentMiddleware({ 'GET /data': route }, resources(await facilitator()), quiet));
    router.get('/data', (_request, response) => void response.send('data'));
    const app = express().use('/api', router);
    const url = `${await listen(app)}/api/data`;
    const response = await fetch(url);
    expect(response.status).toBe(402);
    const paidResponse = await fetch(url, { headers: withPayment(pay(offerIn(response))) });
    expect(await paidResponse.text()).toBe('data');
  });

  it('charges for the path that was asked, when another middleware has rewritten it, and the other way round', async () => {
    const stub = await facilitator();
    const app = express();
    app.use((request, _response, next) => {
      request.url = request.url.replace('/old', '/new');
      next();
    });
    app.use(paymentMiddleware({ 'GET /old': route }, resources(stub), quiet));
    app.use(paymentMiddleware({ 'GET /new2': route }, resources(stub), quiet));
    app.get(['/new', '/new2'], (_request, response) => void response.send('data'));
    const url = await listen(app);
    expect((await fetch(`${url}/old`)).status).toBe(402);
    expect((await fetch(`${url}/old2`)).status).toBe(402);
  });
});

describe('a price on the handler itself', () => {
  it('is asked for on every path that leads to the handler', async () => {
    const app = express();
    const price = paid(route, resources(await facilitator()), quiet);
    app.get(['/one', '/two/:id'], price, (_request, response) => void response.send('data'));
    const url = await listen(app);
    expect((await fetch(`${url}/one`)).status).toBe(402);
    expect((await fetch(`${url}/two/3`, { method: 'HEAD' })).status).toBe(402);
    const payment = pay(await offerAt(`${url}/two/3`));
    const response = await fetch(`${url}/two/3`, { headers: withPayment(payment) });
    expect(await response.text()).toBe('data');
    expect(receiptIn(response)).toMatchObject({ success: true });
  });

  it('shares redemption with other handlers of the same resource server', async () => {
    const server = resources(await facilitator());
    const app = express();
    app.get('/one', paid(route, server, quiet), (_request, response) => void response.send('one'));
    app.get('/two', paid(route, server, quiet), (_request, response) => void response.send('two'));
    const url = await listen(app);
    const headers = withPayment(pay(await offerAt(`${url}/one`)));
    expect((await fetch(`${url}/one`, { headers })).status).toBe(200);
    const second = await fetch(`${url}/two`, { headers });
    expect(second.status).toBe(402);
    expect(offerIn(second).error).toBe('duplicate_payment');
  });
});

describe('two prices on the way to one handler', () => {
  it('are a mistake that is told at once, and nothing is charged', async () => {
    const stub = await facilitator();
    const app = express();
    const told: unknown[] = [];
    const server = resources(stub);
    app.use(paymentMiddleware({ 'GET /report': route }, server, quiet));
    app.get('/report', paid(route, server, quiet), (_request, response) => void response.send('data'));
    const onError: ErrorRequestHandler = (error, _request, response, _next) => {
      told.push(error);
      response.status(500).send('failed');
    };
    app.use(onError);
    const url = `${await listen(app)}/report`;
    expect((await fetch(url, { headers: withPayment(pay(await offerAt(url))) })).status).toBe(500);
    expect(told).toEqual([expect.objectContaining({ code: 'invalid_route' })]);
    expect(stub.settles()).toHaveLength(0);
  });
});

describe('a path that can be read in two ways', () => {
  it('is refused when the readings have different prices', async () => {
    const routes = { 'GET /cheap/*': route, 'GET /dear': { accepts: { ...offer, price: '$10' } } };
    const shop = await openShop({ routes });
    const answer = await rawRequest(shop.url, '/cheap/..%2fdear');
    expect(statusIn(answer)).toBe(400);
    expect(answer).toContain('ambiguous_path');
  });
});

describe('an escaped character with a meaning in URLs', () => {
  it.each(['/tags/%23algorand', '/tags/what%3F'])('makes no other path of %s', async (target) => {
    const tags = { 'GET /tags': route, 'GET /tags/:tag': { accepts: { ...offer, price: '$10' } } };
    const shop = await openShop({ routes: tags });
    expect(statusIn(await rawRequest(shop.url, target))).toBe(402);
  });
});

describe('OPTIONS', () => {
  it('passes to the app on a route with a verb, so that its CORS answers the preflight', async () => {
    const shop = await openShop({
      handlers: (app) => {
        app.options(
          '/report',
          (_request, response) => void response.set('Access-Control-Allow-Origin', '*').sendStatus(204),
        );
        app.get('/report', (_request, response) => void response.send('data'));
      },
    });
    const response = await fetch(`${shop.url}/report`, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('is free on a route for any verb, and does not run its handler', async () => {
    const shop = await openShop({
      routes: { '/report': route },
      handlers: (app, count) => {
        app.all('/report', (_request, response) => {
          count();
          response.send('data');
        });
      },
    });
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
    const response = await fetch(`${shop.url}/report`, { method: 'OPTIONS', headers: preflight });
    expect(response.status).toBe(204);
    expect(shop.runs()).toBe(0);
    expect((await fetch(`${shop.url}/report`, { method: 'POST' })).status).toBe(402);
  });
});

describe('a table of routes', () => {
  const table = async (...keys: string[]) => {
    const routes = Object.fromEntries(keys.map((key) => [key, route]));
    return paymentMiddleware(routes, resources(await facilitator()), quiet);
  };

  it.each([
    [['GET /a', 'get /A/'], 'duplicate_route'],
    [['/a', 'GET /a'], 'shadowed_route'],
    [['GET /a/:id', 'GET /a/b'], 'shadowed_route'],
    [['GET /a/*', 'GET /a/b/:c'], 'shadowed_route'],
    [['GET /a/:id', 'GET /a/[name]'], 'duplicate_route'],
    [['*', 'GET /a'], 'shadowed_route'],
    [['GET /a/*', 'GET /a'], 'shadowed_route'],
    [['GET a'], 'invalid_route'],
    [['GET /a/:id?'], 'invalid_route'],
    [['GET /a{/:b}'], 'invalid_route'],
    [['GET /a/:id(\\d+)'], 'invalid_route'],
    [['HEAD /a'], 'invalid_route'],
    [['GET /a /b'], 'invalid_route'],
    [['GE-T /a'], 'invalid_route'],
    [['OPTIONS /a'], 'invalid_route'],
    [['CONNECT /a'], 'invalid_route'],
  ])('%j fails at start with %s', async (keys, code) => {
    await expect(table(...keys)).rejects.toMatchObject({ code });
  });

  it.each([
    ['GTE /a', 'there is no HTTP method GTE (did you mean GET?); a path alone is for any method'],
    ['psot /a', 'there is no HTTP method PSOT (did you mean POST?); a path alone is for any method'],
    ['ALL /a', 'there is no HTTP method ALL; a path alone is for any method'],
    ['ANY /a', 'there is no HTTP method ANY; a path alone is for any method'],
    ['USE /a', 'there is no HTTP method USE; a path alone is for any method'],
  ])('%s, which no request ever asks with, fails at start and says what to write', async (key, why) => {
    await expect(table(key)).rejects.toMatchObject({ code: 'invalid_route', message: `route "${key}": ${why}` });
  });

  it.each([
    [['GET /a', 'POST /a']],
    [['QUERY /a', 'm-search /a']],
    [['GET /a/b', 'GET /a/:id', 'GET /a/*']],
    [['GET /a', 'GET /ab', 'GET /a/b/c']],
    [['GET /a.b', 'GET /axb']],
  ])('%j is fine', async (keys) => {
    await expect(table(...keys)).resolves.toBeTypeOf('function');
  });
});
