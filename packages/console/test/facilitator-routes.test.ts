import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { expect, it } from 'vitest';
import { answerError } from '../src/server/answer-error.ts';
import { facilitatorRoutes } from '../src/server/facilitator-routes.ts';

/** The console's requests to the facilitator when the page asks for a path as it is, which `fetch` would tidy up. */
async function askedFor(path: string, answer: object) {
  const asked: string[] = [];
  const ask = async (url: Parameters<typeof fetch>[0]): Promise<Response> => {
    asked.push(url instanceof Request ? url.url : url.toString());
    return Response.json(answer);
  };
  return { ...(await shownAt(path, 'http://facilitator', ask)), asked };
}

async function shownAt(path: string, url: string, ask: typeof fetch) {
  const server = express()
    .use('/api', facilitatorRoutes({ url, key: 'operator' }, ask), answerError)
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [response] = (await once(
    get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path }),
    'response',
  )) as [IncomingMessage];
  const shown = await text(response);
  server.close();
  return { status: response.statusCode, shown };
}

it.each([
  ['/settlements?state=confirmed&limit=2', { settlements: [] }],
  ['/discovery/resources?limit=1', { items: [] }],
])('the page is given %s of the facilitator', async (path, answer) => {
  const asked = [`http://facilitator${path}`];
  expect(await askedFor(`/api/facilitator${path}`, answer)).toMatchObject({ status: 200, asked });
  // Something else answers at that address.
  expect(await askedFor(`/api/facilitator${path}`, { resources: [] })).toMatchObject({ status: 502, asked });
});

it('a facilitator that sends elsewhere is told as that, and what prevents an answer in words', async () => {
  const moved = createServer((_request, response) => response.writeHead(301, { Location: '/x402' }).end());
  await once(moved.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(moved.address() as AddressInfo).port}`;
  const told = async () => JSON.parse((await shownAt('/api/facilitator/settlements', url, fetch)).shown) as object;
  const code = 'facilitator_unreachable';
  expect(await told()).toMatchObject({ code, message: `no facilitator answers at ${url}: unexpected redirect` });
  moved.close();
  expect(await told()).toMatchObject({ code, message: expect.stringContaining('ECONNREFUSED') });
});

it('a resource that is sold by another version of x402 is left out of the catalogue, and the others are shown', async () => {
  const [asset, payTo] = ['31566704', 'MERCHANT'];
  const item = { resource: 'https://a.example/', accepts: [{ scheme: 'exact', asset, amount: '1', payTo }] };
  const older = { ...item, accepts: [{ scheme: 'exact', asset, maxAmountRequired: '1', payTo }] };
  const { shown } = await askedFor('/api/facilitator/discovery/resources', { items: [older, item] });
  expect(JSON.parse(shown)).toEqual({ items: [item] });
});

it.each(['/metrics', '/settlements/../metrics', '/settlements/%2e%2E/metrics', '/settle', '/settlements/..'])(
  'the page gets nothing at %s, where the operator’s key would open more than it shows',
  async (path) => {
    expect(await askedFor(`/api/facilitator${path}`, {})).toMatchObject({ status: 404, asked: [] });
  },
);
