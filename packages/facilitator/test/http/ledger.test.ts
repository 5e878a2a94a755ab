import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountFromSeed } from '@avm402/algorand/account';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DevnodeHarness } from '../devnode-harness.ts';
import { parseConfig } from '../../src/operate/config.ts';
import { startFacilitator } from '../../src/operate/start-facilitator.ts';
import { killPrograms, run } from '../program.ts';

const KEYS = { shop: 'shop-key-0123456789abcdef', other: 'other-key-0123456789abcdef', all: 'operator-key-0123456789' };
const any = 'any-receiver-key-0123456789';
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');

let h: DevnodeHarness;
let folder: string;
let url: string;
let environment: Record<string, string>;
let shop: string;
let other: string;
/** TxIDs, the latest first. */
let paid: string[];
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  h = await DevnodeHarness.start();
  folder = await mkdtemp(join(tmpdir(), 'avm402-ledger-'));
  shop = h.account('merchant').address;
  other = accountFromSeed(new Uint8Array(32).fill(78)).address;
  await h.devnode.deal(other, 10458941n, 1n);
  const callers = [
    { name: 'shop', keySha256: sha256(KEYS.shop), receivers: [shop] },
    { name: 'other', keySha256: sha256(KEYS.other), receivers: [other] },
    { name: 'any', keySha256: sha256(any) },
    { name: 'operations', keySha256: sha256(KEYS.all), operator: true },
  ];
  await writeFile(join(folder, 'callers.json'), JSON.stringify(callers));
  environment = {
    PORT: '0',
    ALGOD_URL: h.devnode.url,
    ALGOD_TOKEN: h.devnode.token,
    AVM_PRIVATE_KEY: h.devnode.accounts.facilitator.privateKey,
    SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
    CALLERS_FILE: join(folder, 'callers.json'),
  };
  url = await serve(environment);
  paid = [];
  for (const [payTo, amount] of [
    [shop, '1000'],
    [shop, '2000'],
    [other, '5000'],
    [shop, '3000'],
  ] as const) {
    paid.unshift(await settle(payTo, amount));
  }
});

afterAll(async () => {
  killPrograms();
  for (const stop of stops) await stop();
  await h.stop();
  await rm(folder, { recursive: true });
});

/** Starts a facilitator with this environment in this process; resolves with its URL. */
async function serve(variables: Record<string, string>): Promise<string> {
  const running = await startFacilitator(parseConfig(variables));
  stops.push(() => running.stop());
  return running.url;
}

async function settle(payTo: string, amount: string): Promise<string> {
  const paymentRequirements = h.requirements({ payTo, amount });
  const body = JSON.stringify({ paymentPayload: await h.pay(paymentRequirements), paymentRequirements });
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${KEYS.all}` };
  const answer = (await (await fetch(`${url}/settle`, { method: 'POST', headers, body })).json()) as object;
  expect(answer).toMatchObject({ success: true });
  return 'transaction' in answer ? String(answer.transaction) : '';
}

interface Page {
  readonly settlements: readonly Record<string, string>[];
  readonly totals: readonly Record<string, string>[];
  readonly cursor?: string;
  readonly error?: string;
  readonly message?: string;
}

const ask = (path: string, key?: string): Promise<Response> =>
  fetch(`${url}${path}`, key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } });
const read = async (path: string, key = KEYS.all): Promise<Page> => (await (await ask(path, key)).json()) as Page;
const ids = ({ settlements }: Page): (string | undefined)[] => settlements.map(({ transaction }) => transaction);

describe('GET /settlements', () => {
  it('shows an operator every settlement, the latest first, with all that an accountant needs', async () => {
    const page = await read('/settlements');
    expect(ids(page)).toEqual(paid);
    expect(page.cursor).toBeUndefined();
    expect(page.settlements[0]).toEqual({
      recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      transaction: paid[0],
      network: h.network,
      state: 'confirmed',
      asset: '10458941',
      amount: '3000',
      payer: h.account('payer').address,
      payTo: shop,
      feePayer: h.account('facilitator').address,
      sponsoredFee: '2000',
      confirmedRound: expect.stringMatching(/^\d+$/),
    });
  });

  it('shows a seller what was paid to its own receivers, and no other', async () => {
    expect(ids(await read('/settlements', KEYS.shop))).toEqual([paid[0], paid[2], paid[3]]);
    expect(ids(await read('/settlements', KEYS.other))).toEqual([paid[1]]);
    expect(await read(`/settlements?receiver=${other}`, KEYS.shop)).toMatchObject({ error: 'receiver_not_allowed' });
    expect(await read('/settlements', any)).toMatchObject({ error: 'operator_only' });
    expect((await ask('/settlements')).status).toBe(401);
    expect((await ask('/settlements/totals')).status).toBe(401);
    expect((await ask(`/settlements/${paid[0]}`)).status).toBe(200);
  });

  it('goes through all of them with a cursor', async () => {
    const first = await read('/settlements?limit=3');
    const second = await read(`/settlements?limit=3&cursor=${first.cursor}`);
    expect([...ids(first), ...ids(second)]).toEqual(paid);
    expect(second.cursor).toBeUndefined();
    expect((await read('/settlements?limit=4')).cursor).toBeUndefined();
  });

  it('finds by receiver, payer, state and time', async () => {
    const today = new Date().toISOString().slice(0, 10);
    expect(ids(await read(`/settlements?receiver=${other}`))).toEqual([paid[1]]);
    expect(await read(`/settlements?receiver=${other}&receiver=${shop}`)).toMatchObject({ settlements: { length: 4 } });
    expect(await read(`/settlements?payer=${h.account('payer').address}`)).toMatchObject({
      settlements: { length: 4 },
    });
    expect(await read(`/settlements?payer=${shop}`)).toMatchObject({ settlements: { length: 0 } });
    expect(await read('/settlements?state=expired&state=rejected')).toMatchObject({ settlements: { length: 0 } });
    expect(await read(`/settlements?from=${today}`)).toMatchObject({ settlements: { length: 4 } });
    expect(await read(`/settlements?until=${today}`)).toMatchObject({ settlements: { length: 0 } });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['state=lost', 'state'],
    ['payer=me', 'payer'],
    ['from=yesterday', 'from'],
    ['from=2026-13-45', 'from'],
    ['until=2026-02-30', 'until'],
    ['cursor=x', 'cursor'],
    ['reciever=x', 'reciever'],
    ['format=xml', 'format'],
  ])('refuses %s and names the parameter', async (query, name) => {
    expect(await read(`/settlements?${query}`)).toMatchObject({
      error: 'invalid_query',
      message: expect.stringContaining(name),
    });
  });

  it('comes as CSV', async () => {
    const response = await ask('/settlements?format=csv&limit=2', KEYS.all);
    expect(response.headers.get('content-type')).toContain('text/csv');
    const [heading, ...lines] = (await response.text()).trimEnd().split('\r\n');
    expect(heading).toMatch(/^recordedAt,transaction,network,state,asset,amount,payer,payTo,/);
    expect(lines.map((line) => line.split(',')[1])).toEqual(paid.slice(0, 2));
    const cursor = response.headers.get('next-cursor');
    expect(ids(await read(`/settlements?cursor=${cursor}`))).toEqual(paid.slice(2));
  });

  it('has totals by day and asset', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const total = { day: today, network: h.network, asset: '10458941' };
    const sum = { settlements: '4', amount: '11000', sponsoredFee: '8000' };
    expect((await read('/settlements/totals')).totals).toEqual([{ ...total, ...sum }]);
    const shops = { settlements: '3', amount: '6000', sponsoredFee: '6000' };
    expect((await read('/settlements/totals', KEYS.shop)).totals).toEqual([{ ...total, ...shops }]);
    const csv = await (await ask('/settlements/totals?format=csv', KEYS.shop)).text();
    expect(csv.split('\r\n')[1]).toBe(`${today},${h.network},10458941,,3,6000,6000`);
  });
});

describe('the command line, while the facilitator runs', () => {
  const store = () => ({ SETTLEMENT_STORE: join(folder, 'settlements.sqlite') });

  it('writes the ledger as CSV or JSON, and its totals', async () => {
    const csv = run(store(), 'settlements');
    expect(await csv.exited).toEqual([0, null]);
    expect(
      csv.stdout
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[1]),
    ).toEqual(paid);
    const json = run(store(), 'settlements', '--json', '--receiver', other);
    expect(await json.exited).toEqual([0, null]);
    expect(JSON.parse(json.stdout)).toMatchObject({ transaction: paid[1], amount: '5000' });
    const totals = run(store(), 'settlements', '--totals', '--receiver', shop);
    expect(await totals.exited).toEqual([0, null]);
    expect(totals.stdout).toContain(',3,6000,6000');
  });

  it('names what is wrong with a question', async () => {
    const wrong = run(store(), 'settlements', '--state', 'lost');
    expect(await wrong.exited).toEqual([1, null]);
    expect(wrong.stderr).toContain('state');
    const unknown = run(store(), 'settlements', '--nonsense');
    expect(await unknown.exited).toEqual([2, null]);
    const missing = run({ SETTLEMENT_STORE: join(folder, 'none.sqlite') }, 'settlements');
    expect(await missing.exited).toEqual([1, null]);
    expect(missing.stderr).toContain('none.sqlite');
  });

  it('copies the store to a file that a facilitator starts from', async () => {
    const copy = join(folder, 'copy.sqlite');
    const backup = run(store(), 'backup', copy);
    expect(await backup.exited).toEqual([0, null]);
    expect(await run(store(), 'backup', copy).exited).toEqual([1, null]);
    expect(await run(store(), 'backup').exited).toEqual([2, null]);
    const restored = await serve({ ...environment, SETTLEMENT_STORE: copy });
    for (const txId of paid) {
      expect(await (await fetch(`${restored}/settlements/${txId}`)).json()).toMatchObject({ state: 'confirmed' });
    }
  });
});

describe('a facilitator without callers', () => {
  it('shows its ledger to nobody, or to whoever asks if it is told to', async () => {
    const { CALLERS_FILE: _, ...keyless } = environment;
    const beside = { ...keyless, SETTLEMENT_STORE: join(folder, 'keyless.sqlite') };
    const shut = await serve(beside);
    expect((await fetch(`${shut}/settlements`)).status).toBe(404);
    const open = await serve({ ...keyless, SETTLEMENT_STORE: ':memory:', OPEN_LEDGER: 'true' });
    expect(await (await fetch(`${open}/settlements`)).json()).toEqual({ settlements: [] });
    // Keys are not made useless by it.
    const keyed = await serve({ ...environment, SETTLEMENT_STORE: ':memory:', OPEN_LEDGER: 'true' });
    expect((await fetch(`${keyed}/settlements`)).status).toBe(401);
  });
});
