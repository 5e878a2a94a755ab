import { once } from 'node:events';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onlyThisMachine } from '../src/server/only-this-machine.ts';

let server: Server;
beforeAll(async () => {
  server = express()
    .use(onlyThisMachine, (_request, response) => void response.end())
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function statusFor(headers: Record<string, string>): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const asked = request({ host: '127.0.0.1', port, headers, agent: false }).end();
  const [{ statusCode }] = await once(asked, 'response');
  return statusCode;
}

it.each(['127.0.0.1:4023', 'localhost:4023', 'localhost', '[::1]:4023'])('%s is admitted', async (Host) => {
  expect(await statusFor({ Host })).toBe(200);
  expect(await statusFor({ Host, Origin: `http://${Host}` })).toBe(200);
  expect(await statusFor({ Host, Origin: 'http://evil.example' })).toBe(403);
  expect(await statusFor({ Host, Origin: 'null' })).toBe(403);
});

it.each(['evil.example:4023', '127.0.0.1.evil.example', 'localhost.evil.example:4023', '10.0.0.1:4023'])(
  '%s, a name rebound to this machine, is not',
  async (Host) => expect(await statusFor({ Host })).toBe(403),
);
