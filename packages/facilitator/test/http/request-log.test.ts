import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { KEY } from '../harness.ts';
import { killPrograms, logOf, run, type Run, urlOf } from '../program.ts';

let h: DevnodeHarness;
let program: Run;
let url: string;

beforeAll(async () => {
  h = await DevnodeHarness.start();
  program = run({
    PORT: '0',
    ALGOD_URL: h.devnode.url,
    ALGOD_TOKEN: h.devnode.token,
    AVM_PRIVATE_KEY: h.devnode.accounts.facilitator.privateKey,
    SETTLEMENT_STORE: ':memory:',
  });
  url = await urlOf(program);
});

afterEach(() => {
  program.stderr = '';
});

afterAll(async () => {
  killPrograms();
  await h.stop();
});

const linesWith = (message: string) => logOf(program).filter(({ msg }) => msg === message);

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'Content-Type': 'application/json', ...headers };
  return fetch(`${url}${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

async function settle(headers: Record<string, string> = {}) {
  const paymentPayload = await h.pay();
  const body = { paymentPayload, paymentRequirements: h.requirements() };
  const answer = await post('/settle', body, { 'Idempotency-Key': KEY, ...headers });
  return { ...((await answer.json()) as { success: boolean; transaction: string }), answer, body };
}

it('a payment has one line: outcome, amount, asset, parties, TxID, request, and how long each phase took', async () => {
  const { success, transaction, body } = await settle({ 'X-Request-Id': 'order-17' });
  expect(success).toBe(true);
  await eventually(() => linesWith('settlement ended').length > 0);
  expect(await (await post('/settle', body, { 'Idempotency-Key': KEY })).json()).toMatchObject({ success: true });
  const lines = linesWith('settlement ended');
  expect(lines).toMatchObject([
    {
      transaction,
      outcome: 'confirmed',
      network: h.network,
      amount: '10000',
      asset: h.requirements().asset,
      payer: h.account('payer').address,
      payTo: h.account('merchant').address,
      requestId: 'order-17',
    },
  ]);
  const ms = lines[0]?.['ms'] as Record<string, number>;
  expect(Object.keys(ms)).toEqual(['verify', 'record', 'submit', 'confirm']);
  for (const took of Object.values(ms)) expect(took).toBeGreaterThanOrEqual(0);
});

it('an answer carries the id of its request: the caller’s, or a new one for one that could spoil a log', async () => {
  const idOf = async (given?: string): Promise<string | null> => {
    const headers = given === undefined ? {} : { 'X-Request-Id': given };
    return (await fetch(`${url}/supported`, { headers })).headers.get('x-request-id');
  };
  expect(await idOf('a.b:c-7_')).toBe('a.b:c-7_');
  for (const spoilt of [undefined, 'two words', '"}{"', 'x'.repeat(129)]) {
    expect(await idOf(spoilt)).toMatch(/^[0-9a-f-]{36}$/);
  }
});

it('a request that is refused has one line with route, status, code and id', async () => {
  const headers = { 'X-Request-Id': 'bad-1' };
  expect((await post('/verify', {}, headers)).headers.get('x-request-id')).toBe('bad-1');
  await fetch(`${url}/secret-canary?key=canary`, { headers });
  expect(linesWith('a request was refused')).toMatchObject([
    { requestId: 'bad-1', route: '/verify', status: 400, code: 'invalid_request', ip: '127.0.0.1' },
    { requestId: 'bad-1', route: 'none', status: 404, code: 'not_found' },
  ]);
  expect(program.stderr).not.toContain('canary');
});

it('a refused payment has one line with the reason and what was asked for', async () => {
  const paymentPayload = await h.pay();
  const { payTo, asset } = h.requirements();
  const paymentRequirements = h.requirements({ amount: '20000' });
  await post('/verify', { paymentPayload, paymentRequirements }, { 'X-Request-Id': 'order-18' });
  const asked = { requestId: 'order-18', network: h.network, asset, payTo, amount: '20000' };
  expect(linesWith('a payment was refused by verify')).toMatchObject([{ reason: expect.any(String), ...asked }]);
  const long = { ...paymentRequirements, payTo: 'x'.repeat(5_000) };
  await post('/settle', { paymentPayload, paymentRequirements: long });
  expect(linesWith('a payment was not settled for its caller')).toMatchObject([{ payTo: 'x'.repeat(64) }]);
});

it('every line of the work for a request names it, and none of the work for nobody', async () => {
  await settle({ 'X-Request-Id': 'order-19' });
  const { requestId } = linesWith('settlement ended')[0] ?? {};
  expect(requestId).toBe('order-19');
  await settle();
  const ids = linesWith('settlement ended').map((line) => line['requestId']);
  expect(new Set(ids).size).toBe(2);
});
