import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import { recordSpans } from '@avm402/testkit/spans';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware as fastifyHook } from '../../src/hosts/fastify/fastify.ts';
import { createSeller, type RoutesConfig } from '../../src/index.ts';
import { pay, withPayment } from '../support/payments.ts';
import { rawRequest, statusIn } from '../support/raw-request.ts';
import { afterwards, eventually, facilitator, offerAt, receiptIn, resources, route } from '../support/shop.ts';

const onEvent = (): void => undefined;

/** Listens until the test ends; tells the URL. */
async function listening(app: FastifyInstance): Promise<string> {
  afterwards(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

/** A hook that charges for a table; a seller of its own. */
async function charging(routes: RoutesConfig) {
  const seller = createSeller({ server: resources(await facilitator()), onEvent });
  return fastifyHook(seller.pricedRoutes(routes));
}

/** An app that charges. */
async function openApp(routes: RoutesConfig, options: FastifyServerOptions = {}): Promise<FastifyInstance> {
  const app = Fastify({ forceCloseConnections: true, ...options });
  return app.addHook('onRequest', await charging(routes));
}

async function buy(url: string): Promise<Response> {
  return fetch(url, { headers: withPayment(pay(await offerAt(url))) });
}

describe('an app of Fastify', () => {
  it('charges for routes of plugins, too, and for one route by its own hook', async () => {
    const app = await openApp({ 'GET /plugged/report': route });
    const seller = createSeller({ server: resources(await facilitator()), onEvent });
    app.register(async (plugin) => void plugin.get('/report', () => ({ plugged: true })), { prefix: '/plugged' });
    app.get('/map', { onRequest: fastifyHook(seller.priced(route)) }, () => ({ map: true }));
    const site = await listening(app);
    expect(await (await buy(`${site}/plugged/report`)).json()).toEqual({ plugged: true });
    expect(await (await buy(`${site}/map`)).json()).toEqual({ map: true });
  });

  it('names the URL that a trusted proxy names, and never what the asker says', async () => {
    const spoofed = ['Host: other.example', 'Proto: https', 'For: 192.0.2.1'].map((line) => `X-Forwarded-${line}`);
    const resourceOf = async (options: FastifyServerOptions) => {
      const site = await listening(await openApp({ 'GET /report': route }, options));
      const [, offered = ''] =
        /^payment-required: (.*)$/im.exec(await rawRequest(site, '/report', 'GET', spoofed)) ?? [];
      return { site, url: decodePaymentRequiredHeader(offered.trim()).resource.url };
    };
    const direct = await resourceOf({});
    expect(direct.url).toBe(`${direct.site}/report`);
    expect((await resourceOf({ trustProxy: '127.0.0.1' })).url).toBe('https://other.example/report');
    const other = await resourceOf({ trustProxy: '192.0.2.9' });
    expect(other.url).toBe(`${other.site}/report`);
  });

  it.each<[string, FastifyServerOptions]>([
    ['/report;a=b', { useSemicolonDelimiter: true }],
    ['/other', { rewriteUrl: ({ url = '/' }) => url.replace('/other', '/report') }],
    ['/rep%6Frt', {}],
    ['//report', { routerOptions: { ignoreDuplicateSlashes: true } }],
    ['/Report/', { routerOptions: { caseSensitive: false, ignoreTrailingSlash: true } }],
  ])('charges for %s where its router takes that for what is sold', async (target, options) => {
    const app = await openApp({ 'GET /report': route }, options);
    app.get('/report', () => 'a report');
    expect(statusIn(await rawRequest(await listening(app), target))).toBe(402);
    const free = Fastify({ forceCloseConnections: true, ...options });
    free.get('/report', () => 'a report');
    expect(await rawRequest(await listening(free), target)).toContain('a report');
  });

  it('keeps what other hooks set before and after, in what is paid', async () => {
    const app = Fastify({ forceCloseConnections: true });
    app.addHook('onRequest', async (_request, reply) => void reply.header('X-Before', 'here').header('Vary', 'Accept'));
    app.addHook('onRequest', await charging({ 'GET /report': route }));
    app.addHook('onSend', async (_request, reply) => void reply.header('X-After', String(reply.getHeader('x-before'))));
    app.get('/report', () => ({ report: true }));
    const answer = await buy(`${await listening(app)}/report`);
    const [before, after, vary] = ['x-before', 'x-after', 'vary'].map((name) => answer.headers.get(name));
    expect([before, after, receiptIn(answer)?.success]).toEqual(['here', 'here', true]);
    expect(vary).toBe('Accept, PAYMENT-SIGNATURE');
  });

  it.each(['/maps/', '/flights/-', '/maps/?=x', '/api/maps/'])(
    'charges for %s, which its router takes for a path with an empty parameter',
    async (path) => {
      const app = await openApp({ 'GET /maps/:id': route, 'GET /flights/:from-:to': route });
      app.get('/maps/:id', () => 'a map').get('/flights/:from-:to', () => 'flights');
      const hook = await charging({ 'GET /maps/:id': route });
      const plugin = async (part: FastifyInstance): Promise<void> => {
        part.addHook('onRequest', hook).get('/maps/:id', () => 'a map');
      };
      app.register(plugin, { prefix: '/api' }).get('/*', () => 'free');
      const site = await listening(app);
      expect((await fetch(site + path)).status).toBe(402);
      expect(await (await fetch(`${site}/other`)).text()).toBe('free');
    },
  );

  it('is traced with what its answers say', async () => {
    const spans = recordSpans();
    const traced = { tracer: spans.tracer, traceDetails: true };
    const seller = createSeller({ server: resources(await facilitator()), onEvent, ...traced });
    const app = Fastify({ forceCloseConnections: true });
    app.addHook('onRequest', fastifyHook(seller.pricedRoutes({ 'GET /report': route })));
    app.get('/report', () => ({ report: true }));
    await buy(`${await listening(app)}/report`);
    const served = () => spans.ended.filter(({ name }) => name === 'x402.serve').map(({ attributes }) => attributes);
    await eventually(() => served().map((one) => one['http.response.status_code'])).toEqual([402, 200]);
    expect(served().map((one) => one['error.type'])).toEqual([undefined, undefined]);
  });

  it('makes no second price of a request: that is an error of the app', async () => {
    const app = await openApp({ 'GET /report': route });
    app.addHook('onRequest', await charging({ 'GET /report': route }));
    app.get('/report', () => 'a report');
    const answer = await buy(`${await listening(app)}/report`);
    expect([answer.status, receiptIn(answer)]).toEqual([500, undefined]);
  });
});
