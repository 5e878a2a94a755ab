import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BodyBudget, type RequestBody } from '../../src/rest/request-body.ts';
import { openSocket } from './raw-socket.ts';

const LIMIT = 100;

describe('a request body', () => {
  const sockets: Socket[] = [];
  let server: Server;

  beforeEach(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Sends a head and a body, as long as it says or shorter, and gives the request as the server has it. */
  const request = async (body: string, declared = body.length): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const socket = await openSocket(`http://127.0.0.1:${port}`);
    sockets.push(socket);
    const arrived = once(server, 'request');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${declared}\r\n\r\n${body}`);
    const [incoming] = (await arrived) as [IncomingMessage];
    return incoming;
  };

  const text = ({ bytes }: RequestBody): string => Buffer.from(bytes).toString();

  test('is read whole up to the limit', async () => {
    const body = await new BodyBudget(1000).read(await request('x'.repeat(LIMIT)), LIMIT);
    expect([text(body), body.cut]).toEqual(['x'.repeat(LIMIT), false]);
  });

  test('is cut at the limit, and says so', async () => {
    const body = await new BodyBudget(1000).read(await request('x'.repeat(LIMIT + 1)), LIMIT);
    expect([text(body), body.cut]).toEqual(['x'.repeat(LIMIT), true]);
  });

  test('may be empty', async () => {
    expect(text(await new BodyBudget(1000).read(await request(''), LIMIT))).toBe('');
  });

  test('is refused with 429 while others hold too much, until they are released', async () => {
    const bodies = new BodyBudget(150);
    const first = await request('x'.repeat(90));
    await bodies.read(first, LIMIT);
    await expect(bodies.read(await request('x'.repeat(90)), LIMIT)).rejects.toMatchObject({ status: 429 });
    bodies.release(first);
    expect(text(await bodies.read(await request('x'.repeat(90)), LIMIT))).toHaveLength(90);
  });

  test('whose connection breaks is given up', async () => {
    const incoming = await request('half', 8);
    const reading = new BodyBudget(1000).read(incoming, LIMIT);
    sockets.at(-1)?.destroy();
    await expect(reading).rejects.toMatchObject({ status: 400 });
    await expect(new BodyBudget(1000).read(incoming, LIMIT)).rejects.toMatchObject({ status: 400 });
  });
});
