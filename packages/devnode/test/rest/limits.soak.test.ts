import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';
import { settledHeapBytes } from './heap.ts';
import { openSocket, parseAnswer, readToEnd } from './raw-socket.ts';

const HEAP_SLACK_BYTES = 20_000_000;

describe('limits at full size', () => {
  let node: Devnode;
  afterEach(() => node.stop());

  test('2,048 sockets are kept, further ones are closed, and memory returns to where it was', async () => {
    node = await startDevnode({ port: 0 });
    await openAndClose(node, 200);
    const before = settledHeapBytes();
    for (let round = 0; round < 3; round++) {
      const sockets = await open(node, 2048);
      const beyond = await Promise.all((await open(node, 100)).map((socket) => readToEnd(socket)));
      expect(beyond.every((bytes) => bytes.length === 0)).toBe(true);
      for (const socket of sockets.slice(-3)) expect(await askHealth(socket)).toBe(200);
      for (const socket of sockets) socket.destroy();
      await sleep(500);
    }
    expect(settledHeapBytes() - before).toBeLessThan(HEAP_SLACK_BYTES);
  });

  test('ten waves of 1,024 waiting requests leave nothing behind', async () => {
    node = await startDevnode({ port: 0 });
    await wave(node, 100);
    const before = settledHeapBytes();
    for (let count = 0; count < 10; count++) expect(new Set(await wave(node, 1024))).toEqual(new Set([200]));
    expect(settledHeapBytes() - before).toBeLessThan(HEAP_SLACK_BYTES);
  });
});

function open(node: Devnode, count: number): Promise<Socket[]> {
  return Promise.all(Array.from({ length: count }, () => openSocket(node.url)));
}

async function openAndClose(node: Devnode, count: number): Promise<void> {
  for (const socket of await open(node, count)) socket.destroy();
  await sleep(200);
}

async function askHealth(socket: Socket): Promise<number | undefined> {
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return parseAnswer(await readToEnd(socket))?.status;
}

async function wave(node: Devnode, count: number): Promise<(number | undefined)[]> {
  const sockets = await open(node, count);
  const answers = sockets.map((socket) => readToEnd(socket));
  const head = `GET /v2/status/wait-for-block-after/${node.latestRound} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
  for (const socket of sockets) socket.write(`${head}X-Algo-API-Token: ${node.token}\r\n\r\n`);
  await sleep(300);
  await node.mine();
  return (await Promise.all(answers)).map((bytes) => parseAnswer(bytes)?.status);
}
