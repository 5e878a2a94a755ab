import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFaultProxy, type Fault } from '../src/fault-proxy.ts';

let received = 0;
const target = createServer((request, response) => {
  request.resume().on('end', () => {
    received++;
    response.end('x'.repeat(1000));
  });
});
let origin: string;
beforeAll(async () => {
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
afterAll(() => target.close());

const cases: [Fault | undefined, reached: number, outcome: string][] = [
  [undefined, 1, '200 with 1000 bytes'],
  ['delay', 1, '200 with 1000 bytes'],
  ['drop-request', 0, 'network error'],
  ['refuse', 0, '503 with 0 bytes'],
  ['drop-answer', 1, 'network error'],
  ['cut-answer', 1, 'network error'],
  ['bad-gateway', 1, '502 with 0 bytes'],
];

it.each(cases)(
  'the fault %s: the target sees the request %i times, the caller sees %s',
  async (fault, reached, outcome) => {
    const proxy = await startFaultProxy({
      targets: () => ['http://127.0.0.1:9', origin],
      fault: () => fault,
      delayMs: 5,
    });
    const before = received;
    const seen = await fetch(proxy.url, { method: 'POST', body: 'hello' })
      .then(async (response) => `${response.status} with ${(await response.text()).length} bytes`)
      .catch(() => 'network error');
    await proxy.stop();
    expect(seen).toBe(outcome);
    expect(received - before).toBe(reached);
    if (fault) expect(proxy.counts[fault]).toBe(1);
  },
);
