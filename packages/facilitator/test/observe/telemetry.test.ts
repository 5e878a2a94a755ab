import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { DevnodeHarness } from '../devnode-harness.ts';
import { killPrograms, logOf, run, type Run, urlOf } from '../program.ts';

let h: DevnodeHarness;

beforeAll(async () => {
  h = await DevnodeHarness.start();
});
afterEach(killPrograms);
afterAll(() => h.stop());

interface Collector extends AsyncDisposable {
  readonly url: string;
  /** Bodies of what it got. */
  readonly got: { readonly path: string; readonly body: Buffer }[];
}

async function startCollector(status = 200): Promise<Collector> {
  const got: Collector['got'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      got.push({ path: request.url ?? '', body: Buffer.concat(chunks) });
      response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function start(environment: Record<string, string>): Run {
  return run({
    PORT: '0',
    ALGOD_URL: h.devnode.url,
    ALGOD_TOKEN: h.devnode.token,
    AVM_PRIVATE_KEY: h.devnode.accounts.facilitator.privateKey,
    SETTLEMENT_STORE: ':memory:',
    ...environment,
  });
}

async function settleAt(program: Run, headers: Record<string, string> = {}): Promise<Response> {
  const body = { paymentPayload: await h.pay(), paymentRequirements: h.requirements() };
  return fetch(`${await urlOf(program)}/settle`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

it('the program sends its spans to the collector that is configured, the last of them before it ends', async () => {
  await using collector = await startCollector();
  const program = start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'payments-eu' });
  const answer = await settleAt(program, { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` });
  expect(await answer.json()).toMatchObject({ success: true });
  program.child.kill('SIGTERM');
  expect(await program.exited).toEqual([0, null]);
  const sent = Buffer.concat(collector.got.map(({ body }) => body));
  expect(collector.got[0]?.path).toBe('/v1/traces');
  const names = ['facilitator.settle', 'phase.verify', 'phase.record', 'phase.submit', 'phase.confirm'];
  for (const name of names) expect(sent.toString('latin1')).toContain(`x402.${name}`);
  expect(sent.toString('latin1')).toContain('payments-eu');
  expect(sent.includes(Buffer.from(TRACE_ID, 'hex'))).toBe(true);
});

it('a collector that refuses costs no payment, and is one line of the log', async () => {
  await using collector = await startCollector(400);
  const program = start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(await (await settleAt(program)).json()).toMatchObject({ success: true });
  expect(await (await settleAt(program)).json()).toMatchObject({ success: true });
  program.child.kill('SIGTERM');
  expect(await program.exited).toEqual([0, null]);
  const lines = logOf(program).filter(({ msg }) => msg === 'the collector does not take spans');
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.map(({ times }) => times)).toEqual([1]);
});

it('without a collector nothing is sent, and OTEL_SDK_DISABLED keeps one from being used', async () => {
  await using collector = await startCollector();
  const program = start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' });
  expect(await (await settleAt(program)).json()).toMatchObject({ success: true });
  program.child.kill('SIGTERM');
  expect(await program.exited).toEqual([0, null]);
  expect(collector.got).toEqual([]);
});
