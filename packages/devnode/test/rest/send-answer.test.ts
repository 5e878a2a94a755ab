import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { sendAnswer } from '../../src/rest/send-answer.ts';

test('a stream is not begun for a client that has gone meanwhile: nobody would end it', async () => {
  let begun = 0;
  const begin = (): (() => void) => {
    begun++;
    return () => {};
  };
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  const server = createServer((incoming, outgoing) => {
    const answer = { status: 200, contentType: 'text/event-stream', begin };
    const sending = { answer, compressible: false, pretty: false, forPages: false };
    outgoing.once('close', () => resolve(sendAnswer(incoming, outgoing, sending)));
    incoming.socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow('fetch failed');
  await sent;
  expect(begun).toBe(0);
  server.close();
});
