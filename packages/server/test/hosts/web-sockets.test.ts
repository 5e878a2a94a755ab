import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { createAdaptorServer, upgradeWebSocket } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware as expressMiddleware } from '../../src/hosts/express/express.ts';
import { paymentMiddleware as fastifyHook } from '../../src/hosts/fastify/fastify.ts';
import { paymentMiddleware as honoMiddleware } from '../../src/hosts/hono/hono.ts';
import { createSeller, type PricedRoutes, type RouteConfig } from '../../src/index.ts';
import { pay, withPayment } from '../support/payments.ts';
import { rawRequest, statusIn } from '../support/raw-request.ts';
import { afterwards, facilitator, offer, offerAt, resources, route } from '../support/shop.ts';

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
const UPGRADING = [
  'Connection: Upgrade',
  'Upgrade: WebSocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: MTIzNDU2Nzg5MGFiY2RlZg==',
];

/** Shakes hands as `WebSocketServer` of `ws` does, and hangs up. */
class Handshakes extends EventEmitter {
  readonly options = { noServer: true };
  close(): void {}
  handleUpgrade(_request: unknown, socket: Socket, _head: unknown, done: (ws: EventEmitter) => void): void {
    const headers: string[] = [];
    this.emit('headers', headers);
    socket.end([SWITCHING + headers.join('\r\n'), '', ''].join('\r\n'));
    done(new EventEmitter());
  }
}

type Host = (priced: PricedRoutes) => Promise<string>;

const hono: Host = async (priced) => {
  const app = new Hono().use(honoMiddleware(priced));
  app.get(
    '/feed',
    upgradeWebSocket(() => ({})),
  );
  app.onError((_error, context) => context.text('failed', 500));
  const websocket = { server: new Handshakes() as never };
  const server = createAdaptorServer({ fetch: app.fetch, websocket, overrideGlobalObjects: false });
  return listenOn(server);
};

async function listenOn(server: ReturnType<typeof createAdaptorServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function responseOn(socket: Socket, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  return response.once('finish', () => socket.end());
}

/** Leads upgrades through hooks to a handler that takes the connection over, as `@fastify/websocket` does. */
const fastify: Host = async (priced) => {
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onRequest', fastifyHook(priced));
  app.get('/feed', async (request, reply) => {
    reply.hijack();
    const { socket } = request.raw;
    socket.write(`${SWITCHING}\r\n`, () => socket.destroy());
  });
  app.server.on('upgrade', (request, socket: Socket) => {
    app.routing(request, responseOn(socket, request));
  });
  afterwards(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
};

/** Leads upgrades to a route of their own below the path that was asked for, as express-ws does. */
const expressWs: Host = async (priced) => {
  const app = express().use(expressMiddleware(priced));
  app.get('/feed/.websocket', ({ socket }) => void socket.end(`${SWITCHING}\r\n`));
  const server = createServer(app);
  server.on('upgrade', (request, socket: Socket) => {
    const changed = Object.assign(request, { url: `${request.url}/.websocket`, wsHandled: false });
    app(changed, responseOn(socket, request));
  });
  return listenOn(server);
};

it('a handler of express-ws, which gets the open WebSocket, is told that it can’t charge there', async () => {
  const seller = createSeller({ server: resources(await facilitator()), onEvent: () => undefined });
  const paid: (...given: unknown[]) => void = seller.paid(route) as never;
  const told: unknown[] = [];
  paid(
    new EventEmitter(),
    Object.assign(new EventEmitter(), { url: '/feed/.websocket', headers: {}, app: {} }),
    (error: unknown) => told.push(error),
  );
  expect(told).toEqual([
    expect.objectContaining({ code: 'express_required', message: expect.stringContaining('app.ws') }),
  ]);
});

describe.each([
  ['Hono', hono],
  ['Fastify', fastify],
  ['Express', expressWs],
])('a WebSocket of %s', (_name, serve) => {
  async function open(sold: RouteConfig) {
    const stub = await facilitator();
    const failures: unknown[] = [];
    const seller = createSeller({
      server: resources(stub),
      publicUrl: 'https://shop.example',
      handlerTimeoutMs: 200,
      onEvent: ({ error }) => error !== undefined && failures.push(error),
    });
    const url = `${await serve(seller.pricedRoutes({ 'GET /feed': sold }))}/feed`;
    const required = await offerAt(url);
    const payment = pay(required, { paymentId: `pay_${randomBytes(16).toString('hex')}` });
    const ask = async (): Promise<string> => {
      const paying = Object.entries(withPayment(payment)).map(([name, value]) => `${name}: ${value}`);
      return rawRequest(url, '/feed', 'GET', [...UPGRADING, ...paying]);
    };
    return { url, stub, failures, ask };
  }

  it('is not opened before it is paid for, and costs nothing', async () => {
    const shop = await open(route);
    expect(statusIn(await rawRequest(shop.url, '/feed', 'GET', UPGRADING))).toBe(402);
    shop.stub.onSettle = () => ({ body: { success: false, errorReason: 'x', transaction: '', network: '' } });
    expect(await shop.ask()).toMatch(/^HTTP\/1.1 500 /);
    expect(shop.failures).toEqual([expect.objectContaining({ code: 'response_not_settleable' })]);
    expect(shop.stub.settles()).toEqual([]);
  });

  it('is opened where the payment is settled first, once, whoever ends it', async () => {
    const shop = await open({ ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } });
    expect(await shop.ask()).toMatch(/^HTTP\/1.1 101 /);
    expect(await shop.ask()).toMatch(/^HTTP\/1.1 402 /);
    expect(shop.stub.settles()).toHaveLength(1);
  });
});
