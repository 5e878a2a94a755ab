import { getRequestListener } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware as fastifyHook } from '../../src/hosts/fastify/fastify.ts';
import { paymentMiddleware as honoMiddleware } from '../../src/hosts/hono/hono.ts';
import { createSeller, type Seller } from '../../src/index.ts';
import { afterwards, facilitator, listen, resources, route } from '../support/shop.ts';

async function selling(): Promise<Seller> {
  const server = resources(await facilitator());
  return createSeller({ server, publicUrl: 'https://shop.example', onEvent: () => undefined });
}

/** A route of Express 5 whose path is written as in the table. */
async function inExpress(path: string): Promise<string> {
  const app = express().use((await selling()).middleware({ [`GET ${path}`]: route }));
  return listen(app.get(path, (_request, response) => void response.send('paid content')));
}

async function inFastify(path: string): Promise<string> {
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onRequest', fastifyHook((await selling()).pricedRoutes({ [`GET ${path}`]: route })));
  app.get(path, () => 'paid content');
  afterwards(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

async function inHono(path: string): Promise<string> {
  const app = new Hono().use(honoMiddleware((await selling()).pricedRoutes({ [`GET ${path}`]: route })));
  const { fetch } = app.get(path, (context) => context.text('paid content'));
  // Other tests of this worker need the process's own Request and Response.
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  return listen((request, response) => void listener(request, response));
}

describe('a name in a route is charged for as far as its router reads it', () => {
  it.each([
    ['Express', '/maps/:$id', '/maps/7', inExpress],
    ['Express', '/maps/:n\u00famero', '/maps/7', inExpress],
    ['Express', '/maps/of*rest', '/maps/of/7', inExpress],
    ['Express', '/maps/*n\u00famero', '/maps/7/8', inExpress],
    ['Fastify', '/maps/:$id', '/maps/7', inFastify],
    ['Fastify', '/maps/:1', '/maps/7', inFastify],
    ['Fastify', '/maps/:a:b', '/maps/7', inFastify],
    ['Hono', '/maps/:$id', '/maps/7', inHono],
    ['Hono', '/maps/:\u00f1', '/maps/7', inHono],
    ['Hono', '/maps/:a_:b', '/maps/7', inHono],
  ])('%s: %s', async (_router, path, asked, serve) => {
    expect((await fetch((await serve(path)) + asked)).status).toBe(402);
  });

  it.each(['/maps/:map-id', '/maps/:name.png', '/maps/:from-:to'])('Hono: %s is refused', async (path) => {
    await expect(inHono(path)).rejects.toThrow(expect.objectContaining({ code: 'invalid_route' }));
  });

  it('Hono: what the refusal says to write is charged for', async () => {
    const priced = (await selling()).pricedRoutes({ 'GET /maps/[map-id]': route });
    const app = new Hono().use(honoMiddleware(priced)).get('/maps/:map-id', (context) => context.text('paid content'));
    expect((await app.request('/maps/7')).status).toBe(402);
  });

  it('Express: an escaped character is refused', async () => {
    await expect(inExpress('/maps/\\:id')).rejects.toThrow(expect.objectContaining({ code: 'invalid_route' }));
  });
});
