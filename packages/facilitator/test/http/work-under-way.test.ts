import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Callers, createFacilitator, createFacilitatorApp, type FacilitatorAppOptions } from '../../src/index.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';

let h: DevnodeHarness;
let url: string;
let stack: AsyncDisposableStack;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  h = await DevnodeHarness.start({ node: { blocks: 'manual' } });
  stack.defer(() => h.stop());
});
afterEach(() => stack.disposeAsync());

/** A facilitator whose settlements wait until a block is made. */
async function serve(options: FacilitatorAppOptions): Promise<void> {
  const facilitator = createFacilitator({
    networks: [{ algods: [h.algod] }],
    sponsorship: { account: h.account('facilitator'), anyone: true },
    settleTimeoutMs: 30_000,
  });
  await facilitator.start();
  stack.defer(() => facilitator.close());
  const app = createFacilitatorApp(facilitator, options);
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  stack.defer(async () => app.close());
}

async function post(path: '/verify' | '/settle', headers: Record<string, string>) {
  const paymentRequirements = h.requirements();
  const body = JSON.stringify({ paymentPayload: await h.pay(paymentRequirements), paymentRequirements });
  const all = { 'Content-Type': 'application/json', ...headers };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers: all, body });
  return [response.status, Object((await response.json()) as object).error];
}

const pending = async (count: number): Promise<void> =>
  eventually(async () => (await (await fetch(`${url}/ready`)).json()).settlements.pending === count);
const from = (address: string) => ({ 'X-Forwarded-For': address });
const BUSY = [503, 'facilitator_busy'];
const SERVED = [200, undefined];

it('the calls of one address leave places for others, who are served', async () => {
  await serve({ maxInFlight: 8, trustedProxies: ['127.0.0.1'] });
  const [crowd, neighbor] = [from('203.0.113.7'), from('203.0.113.8')];
  const waiting = Array.from({ length: 4 }, () => post('/settle', crowd));
  await pending(4);
  expect(await post('/verify', crowd)).toEqual(BUSY);
  waiting.push(post('/settle', neighbor), post('/settle', neighbor));
  await pending(6);
  expect(await post('/verify', crowd)).toEqual(BUSY);
  expect(await post('/verify', from('203.0.113.9'))).toEqual(SERVED);
  await h.devnode.mine();
  await Promise.all(waiting);
  expect(await post('/verify', crowd)).toEqual(SERVED);
});

it('the calls with one key leave places for other keys', async () => {
  const keys = ['one-key-0123456789', 'other-key-0123456789'];
  const callers = keys.map((key, index) => ({
    name: `shop-${index}`,
    keySha256: createHash('sha256').update(key).digest('hex'),
  }));
  await serve({ maxInFlight: 2, callers: Callers.parse(JSON.stringify(callers)) });
  const [one, other] = keys.map((key) => ({ Authorization: `Bearer ${key}` }));
  const waiting = post('/settle', one ?? {});
  await pending(1);
  expect(await post('/verify', one ?? {})).toEqual(BUSY);
  expect(await post('/verify', other ?? {})).toEqual(SERVED);
  await h.devnode.mine();
  await waiting;
});

it('what waits behind another answer of its connection gives its place up when that breaks', async () => {
  await serve({ maxInFlight: 3 });
  const { hostname, host, port } = new URL(url);
  const paymentRequirements = h.requirements();
  const body = JSON.stringify({ paymentPayload: await h.pay(paymentRequirements), paymentRequirements });
  const headers = ['Host: ' + host, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  const socket = connect(Number(port), hostname);
  socket.write(`POST /settle HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  stack.defer(() => void process.off('warning', note));
  socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(20));
  socket.write(`GET /supported HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(2));
  const verified = () => post('/verify', {});
  await eventually(async () => (await verified())[0] === 503);
  socket.destroy();
  await eventually(async () => (await verified())[0] === 200);
  const waiting = post('/settle', {});
  await pending(2);
  expect(await verified()).toEqual(SERVED);
  await h.devnode.mine();
  await waiting;
  expect(warnings).toEqual([]);
});
