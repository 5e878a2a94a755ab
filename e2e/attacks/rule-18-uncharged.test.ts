import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paymentMiddleware } from '@avm402/server';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { offerOf, paidHeaders, payFor, receiptOf } from '../payment.ts';
import { type Market, openMarket } from '../market.ts';

const SECRET = 'rain at noon, sun at four';

let market: Market;
let folder: string;
beforeAll(async () => {
  market = await openMarket();
  folder = await mkdtemp(join(tmpdir(), 'uncharged-'));
  await writeFile(join(folder, 'forecast.txt'), SECRET);
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function shopOf(handler: RequestHandler, paymentFlow = 'authorization'): Promise<string> {
  const app = express().set('env', 'test');
  const accepts = { ...market.accepts, extra: { paymentFlow } };
  app.use(paymentMiddleware({ 'GET /forecast': { accepts } }, market.resourceServer(), { onEvent: () => undefined }));
  app.get('/forecast', handler);
  return `${await market.open(app)}/forecast`;
}

/** The headers of a request with a payment of its own, which nothing was done with yet. */
async function unspent(url: string): Promise<Record<string, string>> {
  return paidHeaders(await payFor(offerOf(await fetch(url)), market.node.accounts.payer, market.node.url));
}

const asJson: RequestHandler = (_request, response) => void response.json({ forecast: SECRET });
const asFile: RequestHandler = (_request, response) => response.sendFile(join(folder, 'forecast.txt'));

describe('an unspent payment tells nothing about the answer', () => {
  const questions: readonly Readonly<Record<string, string>>[] = [
    { 'if-none-match': '*' },
    { 'if-none-match': 'W/"1f-whoever-guesses"' },
    { 'if-match': '"whoever guesses"' },
    { 'if-modified-since': 'Fri, 31 Dec 2100 23:59:59 GMT' },
    { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    { range: 'bytes=999999-' },
    { range: 'bytes=0-0', 'if-range': '"x"' },
  ];

  describe.each([
    ['JSON', asJson],
    ['a file', asFile],
  ] as const)('that is %s', (_name, handler) => {
    it.each(questions)('by asking with %j: the whole answer is charged for', async (question) => {
      const url = await shopOf(handler);
      const answer = await fetch(url, { headers: { ...(await unspent(url)), ...question } });
      expect([answer.status, receiptOf(answer)?.success]).toEqual([200, true]);
      expect(await answer.text()).toContain(SECRET);
    });
  });

  it('five forecasts are not found out with one payment: the first question, guessed right or wrong, uses it', async () => {
    const url = await shopOf(asJson);
    const headers = await unspent(url);
    const right = (await fetch(url, { headers: await unspent(url) })).headers.get('etag') ?? '';
    const answers = [];
    for (const tag of ['W/"1"', right, 'W/"2"', right, '*']) {
      answers.push((await fetch(url, { headers: { ...headers, 'if-none-match': tag } })).status);
    }
    expect(answers).toEqual([200, 402, 402, 402, 402]);
  });

  it('on a route that is paid up front a range is answered: it is paid for already', async () => {
    const url = await shopOf(asFile, 'upfront');
    const answer = await fetch(url, { headers: { ...(await unspent(url)), range: 'bytes=0-3' } });
    expect([answer.status, await answer.text(), receiptOf(answer)?.success]).toEqual([206, 'rain', true]);
  });

  it.each([304, 302, 404, 412, 416, 500])(
    'by validators or lengths that its handler set before it answered %i',
    async (status) => {
      const url = await shopOf((_request, response) => {
        response.set({
          etag: '"19-secret"',
          'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
          'content-length': '4242',
          'content-range': 'bytes */4242',
          'content-md5': 'secret',
          digest: 'sha-256=secret',
          'content-digest': 'sha-256=:secret:',
          'repr-digest': 'sha-256=:secret:',
          'x-note': 'kept',
        });
        response.writeHead(status);
        response.end(status === 304 ? undefined : 'nothing');
      });
      const answer = await fetch(url, { headers: await unspent(url), redirect: 'manual' });
      expect([answer.status, receiptOf(answer), answer.headers.get('x-note')]).toEqual([status, undefined, 'kept']);
      const told = JSON.stringify([...answer.headers]);
      expect(told).not.toMatch(/secret|4242|1970/);
      expect(await answer.text()).toBe(status === 304 ? '' : 'nothing');
    },
  );
});

/** All bytes that a server sends for one request, until it closes the connection. */
async function bytesOf(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const lines = Object.entries({ Host: 'shop.example', Connection: 'close', ...headers });
  socket.write(`GET ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  let bytes = '';
  for await (const chunk of socket) bytes += String(chunk);
  return bytes;
}

type Way = (response: ServerResponse) => void;

function call(name: string, ...args: unknown[]): Way {
  return (response) => {
    const method: unknown = Reflect.get(response, name);
    if (typeof method === 'function') Reflect.apply(method, response, args);
  };
}

const headers = { link: '</secret>; rel=preload', 'x-secret': 'secret' };

/** Every method by which Node's response can be made to send something, called so that it would tell a secret. */
const ways: Readonly<Record<string, Way>> = {
  writeHead: call('writeHead', 200, 'secret', headers),
  writeHeader: call('writeHeader', 200, headers),
  writeInformation: call('writeInformation', 110, headers),
  writeEarlyHints: call('writeEarlyHints', headers),
  writeProcessing: call('writeProcessing'),
  setHeader: call('setHeader', 'x-secret', 'secret'),
  setHeaders: call('setHeaders', new Map([['x-secret', 'secret']])),
  appendHeader: call('appendHeader', 'x-secret', 'secret'),
  addTrailers: (response) => {
    response.setHeader('trailer', 'x-secret');
    response.addTrailers({ 'x-secret': 'secret' });
  },
  flushHeaders: (response) => {
    response.setHeader('x-secret', 'secret');
    response.flushHeaders();
  },
  write: call('write', 'secret'),
  cork: (response) => {
    response.cork();
    response.write('secret');
  },
  uncork: (response) => {
    response.cork();
    response.write('secret');
    response.uncork();
  },
  end: call('end', 'secret'),
};

/** They send nothing of an answer: they read, wait, close, or are Node's own inner works. */
const harmless: ReadonlySet<string> = new Set(
  `constructor statusCode statusMessage errored closed writableFinished writableObjectMode writableLength
  writableHighWaterMark writableCorked connection socket headersSent writableEnded writableNeedDrain getHeader
  getHeaderNames getRawHeaderNames getHeaders hasHeader removeHeader setTimeout destroy pipe assignSocket detachSocket`
    .split(/\s+/)
    // Asks for the request's body, in the same words whatever the answer will be.
    .concat('writeContinue'),
);

function methodsOfNode(): string[] {
  const outgoing: unknown = Object.getPrototypeOf(ServerResponse.prototype);
  const all = [ServerResponse.prototype, outgoing].flatMap((prototype) => Object.getOwnPropertyNames(prototype));
  return [...new Set(all)].filter((name) => !name.startsWith('_'));
}

describe('nothing of an answer that is not charged leaves early', () => {
  it('by any method of a response of this Node: each one is tried below, or known to send nothing', () => {
    expect(methodsOfNode().filter((name) => !(name in ways) && !harmless.has(name))).toEqual([]);
  });

  it.each(Object.entries(ways))('by %s, then settlement is refused', async (name, way) => {
    const url = await shopOf(async (_request, response) => {
      way(response);
      // The buyer's money goes elsewhere while the handler works.
      await market.node.mine(1_100);
      if (!response.writableEnded) response.end('secret');
    });
    const bytes = await bytesOf(url, await unspent(url));
    expect(bytes, name).toMatch(/^HTTP\/1\.1 402 /);
    expect(bytes, name).not.toContain('secret');
    expect(bytes.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it.each(Object.entries(ways))('by %s, then the handler hangs', async (name, way) => {
    const app = express();
    const routes = { 'GET /forecast': { accepts: market.accepts } };
    const quiet = { onEvent: () => undefined, handlerTimeoutMs: 50 };
    app.use(paymentMiddleware(routes, market.resourceServer(), quiet));
    app.get('/forecast', (_request, response) => {
      if (name !== 'end') way(response);
    });
    const url = `${await market.open(app)}/forecast`;
    const bytes = await bytesOf(url, await unspent(url));
    expect(bytes, name).toMatch(/^HTTP\/1\.1 504 /);
    expect(bytes, name).not.toContain('secret');
  });
});
