import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware as honoMiddleware } from '../src/hosts/hono/hono.ts';
import { createSeller } from '../src/index.ts';
import { pay, withPayment } from './support/payments.ts';
import {
  afterwards,
  eventually,
  facilitator,
  listen,
  offer,
  offerAt,
  openShop,
  resources,
  route,
  type Shop,
  type ShopOptions,
} from './support/shop.ts';

const upfront = { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } };
const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;

/** Answers nothing to `/slow`, so that what is asked behind it over the same connection waits. */
function openSlowShop(options: ShopOptions = {}): Promise<Shop> {
  return openShop({ ...options, before: (app) => void app.get('/slow', () => undefined) });
}

/** Likewise, in Hono. */
async function openSlowHono(report: string) {
  const stub = await facilitator();
  const seller = createSeller({ server: resources(stub), publicUrl: 'https://shop.example', maxWaitMs: 500 });
  let runs = 0;
  const app = new Hono().get('/slow', () => new Promise<Response>(() => undefined));
  app.get('/report', honoMiddleware(seller.pricedRoutes({ 'GET /report': upfront })), (context) => {
    runs++;
    return context.body(new Blob([report]).stream());
  });
  // Other tests of this worker need the process's own Request and Response.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const url = await listen((request, response) => void listener(request, response));
  return { stub, url, runs: () => runs };
}

/** Sends a request behind one for `/slow`, without waiting for an answer. */
function sendBehind({ url }: Pick<Shop, 'url'>, headers: Record<string, string>, body = ''): Socket {
  const { hostname, host, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const request = [`${body === '' ? 'GET' : 'POST'} /report HTTP/1.1`, `Host: ${host}`, ...lines, length, '', body];
  socket.write([`GET /slow HTTP/1.1`, `Host: ${host}`, '', ''].join('\r\n') + request.join('\r\n'));
  return socket;
}

describe('a request that waits behind another one over its connection', () => {
  it('is left by a client that leaves: one that comes back gets what is paid for', async () => {
    const shop = await openSlowShop({ routes: { 'GET /report': upfront }, maxWaitMs: 500 });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const socket = sendBehind(shop, headers);
    await eventually(() => shop.runs()).toBe(1);
    socket.destroy();
    await eventually(async () => (await fetch(url, { headers })).status).toBe(200);
    expect(shop.stub.settles()).toHaveLength(1);
  });

  it.each([
    ['is all there', 1],
    ['is larger than what waits for a connection', 64],
  ])('is left likewise in Hono where the answer %s', async (_what, parts) => {
    const { stub, url, runs } = await openSlowHono('x'.repeat(65_536).repeat(parts));
    const headers = withPayment(pay(await offerAt(`${url}/report`), { paymentId: newId() }));
    const socket = sendBehind({ url }, headers);
    await eventually(() => runs()).toBe(1);
    socket.destroy();
    await eventually(async () => (await fetch(`${url}/report`, { headers })).status).toBe(200);
    expect(stub.settles()).toHaveLength(1);
  });

  it('may be one of any number: nobody is warned of a leak', async () => {
    const shop = await openSlowShop({ routes: { 'GET /report': upfront } });
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    afterwards(async () => void process.off('warning', note));
    const [name, value] = Object.entries(withPayment(pay(await offerAt(`${shop.url}/report`)))).flat();
    const { host } = new URL(shop.url);
    const socket = sendBehind(shop, {});
    socket.write(`GET /report HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(20));
    socket.write(`GET /report HTTP/1.1\r\nHost: ${host}\r\n${name}: ${value}\r\n\r\n`);
    await eventually(() => shop.runs()).toBe(1);
    socket.destroy();
    expect(warnings).toEqual([]);
  });

  it('gives the room of its body back when its client leaves', async () => {
    const shop = await openSlowShop({ routes: { '/report': route }, maxHeldBytes: 10, maxHeldBytesInTotal: 10 });
    const url = `${shop.url}/report`;
    const required = await offerAt(url);
    const paying = (): Record<string, string> => withPayment(pay(required, { paymentId: newId() }));
    shop.stub.onVerify = () => ({ body: { isValid: false, invalidReason: 'invalid_exact_avm_insufficient_balance' } });
    const socket = sendBehind(shop, paying(), '12345678');
    await eventually(() => shop.stub.verifies().length).toBe(1);
    socket.destroy();
    const body = '87654321';
    await eventually(async () => (await fetch(url, { method: 'POST', headers: paying(), body })).status).toBe(402);
  });
});
