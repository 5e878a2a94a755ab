import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDevControls } from '../../src/dev/control-client.ts';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';
import { settledHeapBytes } from './heap.ts';
import { openSocket, parseAnswer, readToEnd } from './raw-socket.ts';

const TOKEN_LINE = `X-Algo-API-Token: ${'a'.repeat(64)}\r\n`;
const HEAP_SLACK_BYTES = 20_000_000;

describe('limits', () => {
  let node: Devnode | undefined;
  const start = async (options: DevnodeOptions = {}): Promise<Devnode> => {
    node = await startDevnode({ port: 0, ...options });
    return node;
  };
  afterEach(async () => {
    await node?.stop();
    node = undefined;
  });

  test('1,024 waiting requests are served, one more gets 429, and memory returns to where it was', async () => {
    const running = await start();
    await waitersUntilMined(running, 64);
    const before = settledHeapBytes();
    const statuses = await waitersUntilMined(running, 1024);
    expect(statuses).toEqual(Array.from({ length: 1024 }, () => 200));
    expect(settledHeapBytes() - before).toBeLessThan(HEAP_SLACK_BYTES);
  });

  test('the 1,025th request under way gets an empty 429, and is served when others are done', async () => {
    const running = await start();
    const { url } = running;
    const sockets = await Promise.all(Array.from({ length: 1024 }, () => openSocket(url)));
    for (const socket of sockets) socket.write(waitRequest(0n));
    const refused = { status: 429, body: Buffer.alloc(0) };
    await vi.waitFor(async () => expect(await ask(url, '/health')).toMatchObject(refused), { timeout: 20_000 });
    const answers = sockets.map((socket) => readToEnd(socket));
    await running.mine();
    await Promise.all(answers);
    expect(await ask(url, '/health')).toMatchObject({ status: 200 });
  });

  test('requests whose answers were lost behind another, on a connection that was cut, no longer count', async () => {
    const { url } = await start({ config: { RestConnectionsSoftLimit: 20 }, waitForBlockMs: 100 });
    const wait = waitRequest(99n).replace('Connection: close\r\n', '');
    for (const handled of [10, 20, 30]) {
      const socket = await openSocket(url);
      socket.write(wait + 'GET /ready HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10));
      const counted = `{method="GET",route="/ready",status="200"} ${handled}\n`;
      await vi.waitFor(async () => expect(await (await fetch(`${url}/metrics`)).text()).toContain(counted));
      socket.resetAndDestroy();
    }
    const answers = await Promise.all(Array.from({ length: 10 }, async () => fetch(`${url}/health`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  test.each([
    ['no body', 'GET /ready HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'a long body',
      `POST /v2/teal/compile HTTP/1.1\r\nHost: x\r\n${TOKEN_LINE}Content-Length: 400000\r\n\r\n${'/'.repeat(400_000)}`,
    ],
  ])('requests with %s that a fault holds no longer count when their clients have gone', async (_, request) => {
    const running = await start({ config: { RestConnectionsSoftLimit: 20 } });
    await running.addFault({ route: 'GET /ready', delayMs: 600_000 });
    await running.addFault({ route: 'POST /v2/teal/compile', delayMs: 600_000 });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(running.url)));
    for (const socket of sockets) socket.write(request);
    await vi.waitFor(async () => expect(await ask(running.url, '/health')).toMatchObject({ status: 429 }));
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect(await ask(running.url, '/health')).toMatchObject({ status: 200 }));
  });

  test('a stream of events counts as a request until it ends', async () => {
    const { url } = await start({ config: { RestConnectionsSoftLimit: 3 } });
    const listen = () => createDevControls({ url }).listen({ onEvent: () => {}, onEnd: () => {} });
    const [stop] = await Promise.all([listen(), listen(), listen()]);
    await vi.waitFor(async () => expect(await ask(url, '/health')).toMatchObject({ status: 429 }));
    stop();
    await vi.waitFor(async () => expect(await ask(url, '/health')).toMatchObject({ status: 200 }));
  });

  test('sockets beyond the hard limit are closed at once', async () => {
    const { url } = await start({ config: { RestConnectionsHardLimit: 20 } });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(url)));
    const refused = await openSocket(url);
    expect(await readToEnd(refused)).toHaveLength(0);
    sockets[0]?.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const [first] = sockets;
    if (!first) throw new Error('no socket');
    expect(parseAnswer(await readToEnd(first))?.status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test.each([
    ['head', 'GET /health HTTP/1.1\r\nHost: x\r\n'],
    ['body', `POST /v2/transactions HTTP/1.1\r\nHost: x\r\n${TOKEN_LINE}Content-Length: 100\r\n\r\nabc`],
  ])('a %s that does not arrive in time is cut off', async (_, beginning) => {
    const { url } = await start({ config: { RestReadTimeoutSeconds: 1 } });
    const socket = await openSocket(url);
    socket.write(beginning);
    const drip = setInterval(() => socket.write('a'), 100);
    const started = Date.now();
    const answer = parseAnswer(await readToEnd(socket));
    clearInterval(drip);
    expect(answer?.status).toBe(408);
    expect(Date.now() - started).toBeLessThan(4000);
  });

  test('an endless body is cut off, with or without a token', async () => {
    const { url } = await start();
    for (const token of [TOKEN_LINE, '']) {
      const socket = await openSocket(url);
      socket.write(`POST /v2/transactions HTTP/1.1\r\nHost: x\r\n${token}Transfer-Encoding: chunked\r\n\r\n`);
      const received = readToEnd(socket);
      const sent = await pour(socket);
      expect(parseAnswer(await received)?.status).toBe(token === '' ? 401 : 400);
      expect(sent).toBeLessThan(60_000_000);
    }
  });

  test('stopping ends waiting requests with an answer, quickly', async () => {
    const running = await start();
    const socket = await openSocket(running.url);
    socket.write(waitRequest(0n));
    await sleep(50);
    const received = readToEnd(socket);
    const started = Date.now();
    await running.stop();
    expect(Date.now() - started).toBeLessThan(1000);
    const answer = parseAnswer(await received);
    expect(answer?.status).toBe(500);
    expect(answer?.body.toString()).toBe('{"message":"operation aborted as server is shutting down"}\n');
  });
});

function waitRequest(round: bigint): string {
  return `GET /v2/status/wait-for-block-after/${round} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${TOKEN_LINE}\r\n`;
}

async function waitersUntilMined(node: Devnode, count: number): Promise<(number | undefined)[]> {
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(node.url)));
  const answers = sockets.map((socket) => readToEnd(socket));
  for (const socket of sockets) socket.write(waitRequest(node.latestRound));
  await sleep(200);
  await node.mine();
  return (await Promise.all(answers)).map((bytes) => parseAnswer(bytes)?.status);
}

async function ask(url: string, path: string): Promise<unknown> {
  const socket = await openSocket(url);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return parseAnswer(await readToEnd(socket));
}

/** Writes chunks until the other side has had enough; gives the bytes written. */
async function pour(socket: Socket): Promise<number> {
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 0x80), Buffer.from('\r\n')]);
  let sent = 0;
  while (!socket.destroyed && sent < 200_000_000) {
    const flushed = socket.write(chunk);
    sent += chunk.length;
    if (!flushed) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), sleep(20)]);
    await sleep(0);
  }
  return sent;
}
