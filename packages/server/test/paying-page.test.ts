import { gunzipSync } from 'node:zlib';
import express from 'express';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware } from '../src/hosts/fastify/fastify.ts';
import { createSeller, type RouteConfig } from '../src/index.ts';
import { page, script } from './support/paying-page.ts';
import { rawRequest } from './support/raw-request.ts';
import { afterwards, facilitator, listen, offer, openShop, resources, route } from './support/shop.ts';

const FILE = '/.avm402/page/main-1.js';
const quiet = { onEvent: () => undefined };
const html = { headers: { accept: 'text/html' } };

/** Where the page of a 402 looks for its script. */
async function scriptOf(url: string): Promise<string | undefined> {
  const text = await (await fetch(url, html)).text();
  return /<script type="module" nonce="[\w-]{22}" src="([^"]+)">/.exec(text)?.[1];
}

describe('the files of a paying page', () => {
  it('come from the seller, for ever and packed where that is understood', async () => {
    const { url } = await openShop({ page });
    expect(await scriptOf(`${url}/report`)).toBe(FILE);
    const plain = await rawRequest(url, FILE, 'GET', ['Accept-Encoding: br, gzip;q=0']);
    expect(plain).toMatch(/^HTTP\/1.1 200/);
    expect(plain).toContain(script.toString());
    const packed = await fetch(url + FILE, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(packed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(packed.headers.get('vary')).toContain('Accept-Encoding');
    expect(await packed.text()).toBe(script.toString());
    expect(gunzipSync(page.files.get('main-1.js')?.zipped ?? '').toString()).toBe(script.toString());
  });

  it.each([
    ['GET', '/.avm402/page/main-2.js'],
    ['GET', '/.avm402/page/../main-1.js'],
    ['GET', '/.avm402/page/%2e%2e/main-1.js'],
    ['GET', '/.avm402/page/main-1.js/'],
    ['GET', '/.avm402/page/toString'],
    ['POST', FILE],
  ])('%s %s is the app’s', async (method, path) => {
    const { url } = await openShop({ page });
    expect(await rawRequest(url, path, method)).toMatch(/^HTTP\/1.1 404/);
  });

  it('are free where everything else has a price', async () => {
    const { url } = await openShop({ page, routes: { 'GET /*': route } });
    expect((await fetch(url + FILE)).status).toBe(200);
    expect((await fetch(`${url}/.avm402/page/main-2.js`)).status).toBe(402);
  });

  it('are found below a router, and behind a proxy that adds a path', async () => {
    const app = express();
    const seller = createSeller({ server: resources(await facilitator()), page, ...quiet });
    app.use('/shop', seller.middleware({ 'GET /shop/report': route }));
    const url = await listen(app);
    expect(await scriptOf(`${url}/shop/report`)).toBe(`/shop${FILE}`);
    expect((await fetch(`${url}/shop${FILE}`)).status).toBe(200);
    const proxied = await openShop({ page, publicUrl: 'https://shop.example/v1/' });
    expect(await scriptOf(`${proxied.url}/report`)).toBe(`/v1${FILE}`);
  });

  it('are never looked for on another host, however the path of the page is written', async () => {
    const seller = createSeller({ server: resources(await facilitator()), page, ...quiet });
    const app = Fastify({ forceCloseConnections: true, routerOptions: { ignoreDuplicateSlashes: true } });
    afterwards(() => app.close());
    await app.register(
      async (part) => {
        part.addHook('onRequest', paymentMiddleware(seller.pricedRoutes({ 'GET /report': route })));
        part.get('/report', () => 'a report');
      },
      { prefix: '/:tenant' },
    );
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await scriptOf(`${url}/acme/report`)).toBe(`/acme${FILE}`);
    for (const slashes of ['//', '///']) {
      expect(await scriptOf(`${url}${slashes}evil.example/report`)).toBe(`/evil.example${FILE}`);
    }
  });

  it('are served by a middleware without routes for handlers that have their own price', async () => {
    const app = express();
    const seller = createSeller({ server: resources(await facilitator()), page, ...quiet });
    app.use(seller.middleware({}));
    app.get('/report', seller.paid(route), (_request, response) => void response.json({}));
    const url = await listen(app);
    expect((await fetch(url + ((await scriptOf(`${url}/report`)) ?? ''))).status).toBe(200);
  });
});

describe('a paying page', () => {
  it('runs one script by a nonce that no other answer has, and may ask whom it has to', async () => {
    const { url } = await openShop({ page });
    const answers = [await fetch(`${url}/report`, html), await fetch(`${url}/report`, html)];
    const policies = answers.map(({ headers }) => headers.get('content-security-policy') ?? '');
    const nonces = policies.map((policy) => /'nonce-([\w-]{22})'/.exec(policy)?.[1]);
    expect(new Set(nonces).size).toBe(2);
    expect(policies[0]).toContain(`script-src 'nonce-${nonces[0]}' 'strict-dynamic'; `);
    expect(policies[0]).toContain("connect-src 'self' https://algod.example;");
    expect(await answers[0]?.text()).toContain(`nonce="${nonces[0]}"`);
    // A wallet's window answers the page that opened it.
    expect(answers[0]?.headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
  });

  it('tells its script each offer once, whatever stands in it', async () => {
    const hostile: RouteConfig = {
      accepts: { ...offer, extra: { note: '</script><script>alert(1)</script><!--' } },
      description: '</script><img src=x onerror=alert(1)>',
    };
    const { url } = await openShop({ page, routes: { 'GET /report': hostile } });
    const text = await (await fetch(`${url}/report`, html)).text();
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).not.toContain('<img');
    const [, json = ''] = /<script type="application\/json" id="avm402">(.*?)<\/script>/.exec(text) ?? [];
    expect(JSON.parse(json)).toMatchObject({
      folder: '/.avm402/page/',
      settings: { networks: [offer.network] },
      offers: [{ amount: '$0.01', currency: 'USDC', network: 'TestNet', requirements: { amount: '10000' } }],
    });
  });

  it.each([
    ['of another method than GET, whose body it could not send again', { page }, 'POST'],
    ['of a seller without one', {}, 'GET'],
  ])('is no more than words for a request %s', async (_, options, method) => {
    const { url } = await openShop({ ...options, routes: { '/report': route } });
    const answer = await fetch(`${url}/report`, { method, ...html });
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'unsafe-inline';/);
    const text = await answer.text();
    expect(text).toContain('$0.01');
    expect(text).not.toContain('<script');
  });
});
