import { createAlgodClient } from '@avm402/algorand/algod';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpRequest } from '@avm402/algorand/http-exchange';
import { createKeepAliveExchange } from '../../src/chain/keep-alive-exchange.ts';

let server: Server;
let url: string;
const connections = new Set<unknown>();
let drops = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    connections.add(request.socket);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => reply(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function reply({ url: path = '/', method, headers }: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const { pathname } = new URL(path, 'http://localhost');
  const seen = JSON.stringify({ method, token: headers['x-token'], body: body.toString('hex') });
  if (pathname.startsWith('/flood')) response.end(Buffer.alloc(20_000_001));
  else if (pathname === '/pieces') response.write('one', () => setImmediate(() => response.end(' two')));
  else if (pathname === '/drop') {
    drops += 1;
    response.destroy();
  } else if (pathname === '/endless') response.write('half');
  else if (pathname === '/cut') {
    response.writeHead(200, { 'Content-Length': '100' }).write('half');
    setTimeout(() => response.destroy(), 20);
  } else if (pathname === '/status/204') response.writeHead(204).end();
  else if (pathname === '/moved') response.writeHead(301, { Location: '/elsewhere' }).end();
  else if (!pathname.startsWith('/silence')) response.end(seen);
}

const exchange = createKeepAliveExchange();

function get(path: string, options: Partial<HttpRequest> = {}): Promise<HttpAnswer> {
  return exchange({ method: 'GET', url: `${url}${path}`, headers: {}, timeoutMs: 10_000, ...options });
}

function text({ body }: HttpAnswer): string {
  return new TextDecoder().decode(body);
}

describe('the exchange with algod', () => {
  it('sends method, headers and bytes, and gives back status and body', async () => {
    const body = new Uint8Array([1, 255]);
    const answer = await get('/x', { method: 'POST', headers: { 'X-Token': 'abc' }, body });
    expect(answer.status).toBe(200);
    expect(JSON.parse(text(answer))).toEqual({ method: 'POST', token: 'abc', body: '01ff' });
    expect(JSON.parse(text(await get('/x')))).toEqual({ method: 'GET', body: '' });
    expect(text(await get('/status/204'))).toBe('');
    expect(text(await get('/pieces'))).toBe('one two');
  });

  it('uses open connections again', async () => {
    connections.clear();
    for (let request = 0; request < 20; request++) await get('/x');
    // undici rests a connection for a turn of the event loop, so that two take turns.
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  it('sends nothing twice when a connection that was used before breaks off', async () => {
    for (const method of ['GET', 'POST'] as const) {
      await get('/x');
      await new Promise(setImmediate);
      drops = 0;
      await expect(get('/drop', { method })).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
      // What was sent again would have been there before this.
      await get('/x');
      expect(drops).toBe(1);
    }
  });

  it('follows no redirect, which could carry a token elsewhere', async () => {
    expect((await get('/moved')).status).toBe(301);
  });

  it('ends when it is told to, and when an answer has no end or breaks off', async () => {
    const controller = new AbortController();
    const silent = get('/silence', { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(silent).rejects.toMatchObject({ name: 'AbortError' });
    await expect(get('/x', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(get('/flood')).rejects.toMatchObject({ name: 'AnswerTooLong' });
    await expect(get('/cut')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  it('gives up an answer that does not come, or does not end, in time', async () => {
    await expect(get('/silence', { timeoutMs: 30 })).rejects.toMatchObject({ name: 'NoAnswerInTime' });
    await expect(get('/endless', { timeoutMs: 30 })).rejects.toMatchObject({ name: 'NoAnswerInTime' });
  });

  it('reaches a host that is an IPv6 address', async () => {
    const local = createServer((_, response) => response.end('here'));
    await new Promise<void>((resolve) => local.listen(0, '::1', resolve));
    const { port } = local.address() as AddressInfo;
    const answer = await exchange({ method: 'GET', url: `http://[::1]:${port}/`, headers: {}, timeoutMs: 10_000 });
    local.closeAllConnections();
    local.close();
    expect(text(answer)).toBe('here');
  });

  it('lets the client of algod tell its troubles apart', async () => {
    const closed = createAlgodClient({ url: 'http://127.0.0.1:1', exchange });
    await expect(closed.status()).rejects.toMatchObject({
      code: 'algod_unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const silent = createAlgodClient({ url: `${url}/silence`, exchange, timeoutMs: 30 });
    await expect(silent.status()).rejects.toMatchObject({ code: 'algod_timeout' });
    const other = createAlgodClient({ url, exchange });
    await expect(other.status()).rejects.toMatchObject({ code: 'algod_bad_answer' });
    const flooding = createAlgodClient({ url: `${url}/flood`, exchange });
    await expect(flooding.status()).rejects.toMatchObject({ code: 'algod_bad_answer' });
  });
});
