import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { facilitatorRoutes } from '../src/server/facilitator-routes.ts';

/** The console's requests to the facilitator when the page asks for a path as it is, which `fetch` would tidy up. */
async function askedFor(path: string): Promise<{ status: number | undefined; asked: string[] }> {
  const asked: string[] = [];
  const ask = async (url: Parameters<typeof fetch>[0]): Promise<Response> => {
    asked.push(url instanceof Request ? url.url : url.toString());
    return Response.json({});
  };
  const server = express()
    .use('/api', facilitatorRoutes({ url: 'http://facilitator', key: 'operator' }, ask))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [answer] = (await once(
    get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path }),
    'response',
  )) as [IncomingMessage];
  answer.resume();
  server.close();
  return { status: answer.statusCode, asked };
}

it.each([
  ['/settlements?state=confirmed&limit=2', '/settlements?state=confirmed&limit=2'],
  ['/settlements/totals', '/settlements/totals'],
  ['/discovery/resources?limit=1', '/discovery/resources?limit=1'],
  ['/ready', '/ready'],
  ['/supported', '/supported'],
])('the page is given %s of the facilitator', async (path, wanted) => {
  expect(await askedFor(`/api/facilitator${path}`)).toEqual({ status: 200, asked: [`http://facilitator${wanted}`] });
});

it.each(['/metrics', '/settlements/../metrics', '/ready/%2e%2E/metrics', '/readyness', '/settle', '/settlements/..'])(
  'the page gets nothing at %s, where the operator’s key would open more than it shows',
  async (path) => {
    expect(await askedFor(`/api/facilitator${path}`)).toEqual({ status: 404, asked: [] });
  },
);
