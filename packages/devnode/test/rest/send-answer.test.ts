import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { AnswerStream } from '../../src/rest/answer.ts';
import { sendAnswer } from '../../src/rest/send-answer.ts';
import { openSocket } from './raw-socket.ts';

/** A server whose answer is a stream; `begin` writes it. */
async function streaming(begin: (stream: AnswerStream) => () => void, lookMs?: number) {
  const server = createServer((incoming, outgoing) => {
    const answer = { status: 200, contentType: 'text/event-stream', begin };
    void sendAnswer(incoming, outgoing, { answer, compressible: false, pretty: false, forPages: false }, lookMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('texts that are longer than what may wait reach a client that reads, however long the turn that makes them', async () => {
  const { server, url } = await streaming((stream) => {
    const begun = performance.now();
    for (let texts = 0; texts < 2; texts++) stream.write('x'.repeat(9_000_000));
    while (performance.now() - begun < 650);
    stream.write('x');
    stream.end();
    return () => {};
  }, 60);
  expect(await (await fetch(url)).text()).toHaveLength(18_000_001);
  server.close();
});

test('a client that leaves too much unread for some time loses its stream', async () => {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const write = (stream: AnswerStream): (() => void) => {
    stream.write('x'.repeat(30_000_000));
    return resolve;
  };
  const { server, url } = await streaming(write, 10);
  const socket = await openSocket(url);
  socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await gone;
  socket.destroy();
  server.close();
});

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
