import { createAlgodClient } from '@avm402/algorand/algod';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeepAliveFetch } from '../src/keep-alive-fetch.ts';

let server: Server;
let url: string;
const connections = new Set<unknown>();

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
  if (pathname === '/flood') response.end(Buffer.alloc(20_000_001));
  else if (pathname === '/status/204') response.writeHead(204).end();
  else if (pathname === '/moved') response.writeHead(301, { Location: '/elsewhere' }).end();
  else if (!pathname.startsWith('/silence')) response.end(seen);
}

const fetch = createKeepAliveFetch();

describe('the fetch for algod', () => {
  it('sends method, headers and bytes, and gives back status and body', async () => {
    const answer = await fetch(`${url}/x`, {
      method: 'POST',
      headers: { 'X-Token': 'abc' },
      body: new Uint8Array([1, 255]),
    });
    expect([answer.status, answer.ok]).toEqual([200, true]);
    expect(await answer.json()).toEqual({ method: 'POST', token: 'abc', body: '01ff' });
    expect(await (await fetch(`${url}/x`)).json()).toEqual({ method: 'GET', body: '' });
    expect(await (await fetch(`${url}/status/204`)).text()).toBe('');
  });

  it('uses one connection for requests one after another', async () => {
    await fetch(`${url}/x`);
    connections.clear();
    for (let request = 0; request < 5; request++) await fetch(`${url}/x`);
    expect(connections.size).toBe(1);
  });

  it('follows no redirect, which could carry a token elsewhere', async () => {
    expect((await fetch(`${url}/moved`)).status).toBe(301);
  });

  it('ends when it is told to, and when an answer has no end', async () => {
    const controller = new AbortController();
    const silent = fetch(`${url}/silence`, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await expect(silent).rejects.toMatchObject({ name: 'AbortError' });
    await expect(fetch(`${url}/flood`)).rejects.toBeInstanceOf(RangeError);
  });

  it('lets the client of algod tell its troubles apart', async () => {
    const closed = createAlgodClient({ url: 'http://127.0.0.1:1', fetch });
    await expect(closed.status()).rejects.toMatchObject({
      code: 'algod_unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const silent = createAlgodClient({ url: `${url}/silence`, fetch, timeoutMs: 30 });
    await expect(silent.status()).rejects.toMatchObject({ code: 'algod_timeout' });
    const other = createAlgodClient({ url, fetch });
    await expect(other.status()).rejects.toMatchObject({ code: 'algod_bad_answer' });
  });
});
