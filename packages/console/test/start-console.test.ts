import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startConsole } from '../src/start-console.ts';

it('a console whose port is taken asks the node nothing', async () => {
  const asked: string[] = [];
  const node = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const { port } = node.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const roles = { algod: { url, token: '' }, facilitator: { url }, resource: { url } };
  await expect(startConsole({ roles, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  // By the time at which this is answered, a request of the console would have arrived.
  await fetch(`${url}/after`);
  expect(asked).toEqual(['/after']);
  node.close();
});
