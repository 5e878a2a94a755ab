import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFacilitatorApp, createMemorySettlementStore, Metrics } from '../../src/index.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { KEY, withChanges } from '../harness.ts';

let h: DevnodeHarness;
let url: string;
let isStoreBroken = false;
const metrics = new Metrics();
let close: () => Promise<void>;

beforeAll(async () => {
  const memory = createMemorySettlementStore();
  const deliver: typeof memory.deliver = (txId) =>
    isStoreBroken ? Promise.reject(new Error('the disk is full')) : memory.deliver(txId);
  h = await DevnodeHarness.start({ facilitator: { metrics, store: withChanges(memory, { deliver }) } });
  const app = createFacilitatorApp(h.facilitator, { metrics });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  close = async () => app.close();
});

afterAll(async () => {
  await close();
  await h.stop();
});

/** Samples by name and labels, as Prometheus reads them. */
async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

async function post(path: string, changes = {}, key?: string) {
  const paymentPayload = await h.pay();
  const paymentRequirements = h.requirements(changes);
  const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
  const body = JSON.stringify({ paymentPayload, paymentRequirements });
  return fetch(`${url}${path}`, { method: 'POST', headers, body });
}

it('counts requests, settlements and refusals, and times requests, phases and the store', async () => {
  for (let count = 0; count < 3; count += 1) await post('/settle', {}, `${KEY}${count}`);
  const refused = await post('/verify', { amount: '1' });
  await fetch(`${url}/no/such/place`);
  const samples = await scrape();
  expect(samples.get('avm402_http_requests_total{route="/settle",status="200"}')).toBe(3);
  expect(samples.get('avm402_http_requests_total{route="none",status="404"}')).toBe(1);
  expect(samples.get('avm402_http_request_seconds_count{route="/settle"}')).toBe(3);
  expect(samples.get('avm402_settlements_total{outcome="confirmed"}')).toBe(3);
  const { invalidReason } = (await refused.json()) as { invalidReason: string };
  expect(samples.get(`avm402_refusals_total{route="verify",reason="${invalidReason}"}`)).toBe(1);
  for (const phase of ['verify', 'record', 'submit', 'confirm']) {
    expect([phase, samples.get(`avm402_settlement_phase_seconds_count{phase="${phase}"}`)]).toEqual([phase, 3]);
  }
  expect(samples.get('avm402_store_seconds_count{method="record"}')).toBe(3);
});

it('shows what /ready shows: nodes, rounds, sponsor, what is pending', async () => {
  const samples = await scrape();
  const { networks } = await h.facilitator.readiness();
  expect(samples.get(`avm402_round{network="${h.network}"}`)).toBe(networks[0]?.round);
  expect(samples.get(`avm402_nodes{network="${h.network}",state="connected"}`)).toBe(1);
  const labels = `{network="${h.network}",sponsor="${h.account('facilitator').address}"}`;
  expect(samples.get(`avm402_sponsor_payments_left${labels}`)).toBe(networks[0]?.sponsors[0]?.paymentsLeft);
  expect(samples.get(`avm402_sponsor_offered${labels}`)).toBe(1);
  expect(samples.get('avm402_pending_settlements')).toBe(0);
});

it('counts failures of the store, from zero, so that an alert sees the first one rise', async () => {
  expect((await scrape()).get('avm402_store_failures_total{method="deliver"}')).toBe(0);
  isStoreBroken = true;
  expect((await post('/settle')).status).toBe(503);
  isStoreBroken = false;
  expect((await scrape()).get('avm402_store_failures_total{method="deliver"}')).toBe(1);
});

it('has no label of payer, receiver, asset, transaction or URL; a sponsor is an account of our own', async () => {
  const names = [...(await scrape()).keys()].filter((name) => name.startsWith('avm402_'));
  const labels = new Set(names.flatMap((name) => [...name.matchAll(/(\w+)="/g)].map(([, label]) => label)));
  const closed = [
    'code',
    'le',
    'method',
    'network',
    'outcome',
    'phase',
    'reason',
    'route',
    'sponsor',
    'state',
    'status',
  ];
  expect(closed).toEqual(expect.arrayContaining([...labels]));
  const text = names.join('\n');
  expect(names.filter((name) => /(?:outcome|phase|method|state)="[^"]*[^\w"]/.test(name))).toEqual([]);
  for (const name of ['payer', 'merchant']) expect(text).not.toContain(h.account(name).address);
});

it('counts a reason that is no code of ours as another one: a label is never what somebody else wrote', async () => {
  const own = new Metrics();
  own.paymentRefused('verify', 'x"} 1\ninjected 1');
  own.paymentRefused('settle', 'duplicate_settlement');
  const text = await own.text();
  expect(text).not.toContain('injected');
  expect(text).toContain('avm402_refusals_total{route="verify",reason="other"} 1');
  expect(text).toContain('avm402_refusals_total{route="settle",reason="duplicate_settlement"} 1');
});
