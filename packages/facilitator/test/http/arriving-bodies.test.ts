import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { createFacilitatorApp, type FacilitatorAppOptions } from '../../src/index.ts';
import { silentLog } from '../../src/log/log.ts';
import { eventually } from '../eventually.ts';
import { Harness } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';

const h = new Harness();
const sockets: Socket[] = [];
let app: FastifyInstance;
let url: URL;

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

async function serve(options: FacilitatorAppOptions = {}): Promise<void> {
  app = createFacilitatorApp(h.create(), { trustedProxies: ['127.0.0.1'], ...options });
  url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
}

/** Sends the head of a request whose body never comes, from this address. */
function halfRequest(from: string): Socket {
  const socket = connect(Number(url.port), url.hostname).on('error', () => {});
  sockets.push(socket);
  const headers = ['Host: x', `X-Forwarded-For: ${from}`, 'Content-Type: application/json', 'Content-Length: 100'];
  socket.write(`POST /settle HTTP/1.1\r\n${headers.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`);
  return socket;
}

/** The first line of what the facilitator says to it: 100 if its body may come. */
async function answerTo(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString().split('\r\n', 1)[0] ?? '';
}

async function verify(from: string): Promise<number> {
  const { payload: paymentPayload, requirements: paymentRequirements } = modelPayment(h.chain);
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': from };
  const body = JSON.stringify({ paymentPayload, paymentRequirements });
  return (await fetch(new URL('/verify', url), { method: 'POST', headers, body })).status;
}

it('heads of requests without their bodies keep nobody else out, however many they are', async () => {
  await serve({ maxInFlight: 4 });
  const halves = Array.from({ length: 50 }, (_, index) => halfRequest(`203.0.113.${index}`));
  for (const half of halves) expect(await answerTo(half)).toBe('HTTP/1.1 100 Continue');
  expect(await verify('198.51.100.1')).toBe(200);
});

it('an address has so many bodies under way and no more, until one has come or its sender has left', async () => {
  await serve({ maxBodiesPerIp: 2 });
  const [first] = [halfRequest('203.0.113.7'), halfRequest('203.0.113.7')];
  for (const half of sockets) expect(await answerTo(half)).toContain(' 100 ');
  const beyond = halfRequest('203.0.113.7');
  let answer = '';
  beyond.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await eventually(() => answer.endsWith('}'));
  expect(answer).toMatch(/HTTP\/1\.1 429 [\s\S]*retry-after: 2\r\n[\s\S]*too_many_requests/i);
  expect(await verify('203.0.113.8')).toBe(200);
  expect(await verify('203.0.113.7')).toBe(429);
  first?.destroy();
  await eventually(async () => (await verify('203.0.113.7')) === 200);
  // Those that came don't count any longer.
  for (let count = 0; count < 5; count += 1) expect(await verify('203.0.113.7')).toBe(200);
});

it('a body that does not come is waited for ten seconds at most, and looked at every second', async () => {
  await serve();
  expect(app.server.requestTimeout).toBeLessThanOrEqual(10_000);
  Object.assign(app.server, { requestTimeout: 1, headersTimeout: 1 });
  const half = halfRequest('203.0.113.7');
  expect(await answerTo(half)).toContain(' 100 ');
  expect(await textOf(half)).toMatch(/HTTP\/1\.1 408 /);
});

it('says that it limits nobody, once, when a proxy on this machine forwards for others unbelieved', async () => {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  await serve({ trustedProxies: [], perIp: 1, log });
  await fetch(new URL('/supported', url));
  expect(warnings).toEqual([]);
  await verify('203.0.113.7');
  expect(await verify('203.0.113.7')).toBe(200);
  expect(warnings).toEqual([
    'a proxy on this machine forwards requests, and TRUSTED_PROXIES does not name it: the clients behind it are not limited',
  ]);
});
