import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { declareDiscoveryExtension, withBazaar } from '@x402/extensions/bazaar';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createMemorySettlementStore,
  parseConfig,
  createSqliteSettlementStore,
  startFacilitator,
} from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { DiscoveryStage, goodDeclaration, URL_SOLD } from './discovery-stage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let stage: DiscoveryStage;
let clock: number;

beforeEach(async () => {
  clock = Date.now();
  stage = await DiscoveryStage.start({ now: () => clock });
});

afterEach(() => stage[Symbol.asyncDispose]());

const seller = (): string => stage.harness.account('merchant').address;

it('stock’s client lists and finds what a settled payment was for, with its offer and its declaration', async () => {
  const client = withBazaar(new HTTPFacilitatorClient({ url: stage.url }));
  expect(await client.extensions.bazaar.listResources()).toMatchObject({ items: [], pagination: { total: 0 } });
  expect(await stage.sell()).toEqual({ success: true, listing: { status: 'success' } });
  const entry = {
    resource: URL_SOLD,
    type: 'http',
    x402Version: 2,
    accepts: [stage.harness.requirements({ extra: {} })],
    lastUpdated: new Date(clock).toISOString(),
    description: 'Tomorrow’s weather',
    mimeType: 'application/json',
    extensions: { bazaar: goodDeclaration(), seller: { info: { isListed: true } } },
  };
  expect(await client.extensions.bazaar.listResources({ type: 'http', limit: 5, offset: 0 })).toEqual({
    x402Version: 2,
    items: [entry],
    pagination: { limit: 5, offset: 0, total: 1 },
  });
  expect(await client.extensions.bazaar.search({ query: 'WEATHER tomorrow' })).toEqual({
    x402Version: 2,
    resources: [entry],
    pagination: { limit: 20, cursor: null },
  });
  expect((await client.getSupported()).extensions).toEqual(['bazaar']);
});

it('what was sold by a caller that was answered before the block is listed once that has the payment', async () => {
  await using slow = await DiscoveryStage.start({ node: { blocks: 'manual' } });
  expect(await slow.sell({ prefer: 'respond-async' })).toEqual({ success: false, listing: undefined });
  expect(await slow.listed()).toEqual([]);
  await slow.harness.devnode.mine(1);
  await eventually(async () => (await slow.listed()).length === 1, 3_000);
});

it('a declaration made by the stock package is listed as well', async () => {
  const { bazaar } = declareDiscoveryExtension({ input: { city: 'Oslo' }, output: { example: { sky: 'clear' } } });
  expect(await stage.sell({ bazaar })).toEqual({ success: true, listing: { status: 'success' } });
});

it('a tool of an MCP server is an entry of its own, whatever else is sold at its URL', async () => {
  const { bazaar } = declareDiscoveryExtension({ toolName: 'get_weather', inputSchema: { type: 'object' } });
  await stage.sell();
  await stage.sell({ bazaar });
  expect((await stage.listed()).map(({ resource }) => resource)).toEqual([URL_SOLD, `${URL_SOLD}#get_weather`]);
  const { answer } = await stage.get<{ items: object[] }>('resources', { type: 'mcp' });
  expect(answer.items).toHaveLength(1);
});

it('a resource is named without query and fragment, or by its route', async () => {
  await stage.sell({ resource: { url: `${URL_SOLD}?city=Oslo&key=secret#top` } });
  const bazaar = { ...goodDeclaration(), routeTemplate: '/weather/:city' };
  await stage.sell({ resource: { url: 'https://shop.example/weather/oslo' }, bazaar });
  expect((await stage.listed()).map(({ resource }) => resource)).toEqual([URL_SOLD, `${URL_SOLD}/:city`]);
  expect(await stage.why('https://shop.example/weather/bergen?day=1')).toMatchObject({ listed: true });
});

it('pages are turned by offset, or by the cursor of a search', async () => {
  for (const path of ['a', 'b', 'c']) await stage.sell({ resource: { url: `https://shop.example/${path}` } });
  const client = withBazaar(new HTTPFacilitatorClient({ url: stage.url })).extensions.bazaar;
  const page = await client.listResources({ limit: 2, offset: 2 });
  expect(page.items.map(({ resource }) => resource)).toEqual(['https://shop.example/c']);
  const first = await client.search({ query: 'shop', limit: 2 });
  expect(first.resources).toHaveLength(2);
  const next = await client.search({ query: 'shop', limit: 2, cursor: first.pagination?.cursor ?? '' });
  expect([next.resources.map(({ resource }) => resource), next.pagination]).toEqual([
    ['https://shop.example/c'],
    { limit: 2, cursor: null },
  ]);
  expect((await stage.get('resources', { limit: '1000' })).answer).toMatchObject({ pagination: { limit: 100 } });
});

it.each([
  ['resources', { type: 'ftp' }, 'type'],
  ['resources', { offset: '-1' }, 'offset'],
  ['resources', { network: 'eip155:1' }, 'network'],
  // A database may take no text with it.
  ['resources', { payTo: 'SELLER\0' }, 'payTo'],
  ['search', { query: 'x', scheme: '\0' }, 'scheme'],
  ['resources', { extensions: 'payment-identifier' }, 'extensions'],
  ['search', {}, 'query'],
  ['search', { query: 'x'.repeat(201) }, 'query'],
  ['search', { query: 'x', cursor: 'next' }, 'cursor'],
  ['why', {}, 'url'],
])('a question to /discovery/%s with %o is told what is wrong', async (path, parameters, name) => {
  const { status, answer } = await stage.get<{ error: string; message: string }>(path, parameters);
  expect([status, answer.error]).toEqual([400, 'invalid_query']);
  expect(answer.message).toContain(name);
});

it('payments whose offer declares nothing, or that were refused, list nothing', async () => {
  expect(await stage.sell({ bazaar: undefined })).toEqual({ success: true, listing: undefined });
  const broke = await stage.sell({ requirements: { amount: String(2n ** 60n) } });
  expect(broke).toEqual({ success: false, listing: undefined });
  expect(await stage.listed()).toEqual([]);
  expect(await stage.why(URL_SOLD)).toMatchObject({ listed: false, reason: 'no_settled_payment' });
});

it('a charge below its maximum lists the maximum that was offered, and a charge of nothing lists nothing', async () => {
  const { harness } = stage;
  const extra = { feePayer: harness.account('usdcIssuer').address };
  const offer = harness.requirements({ scheme: 'upto', amount: '50000', extra });
  const client = new UptoAvmClient({ account: harness.account('payer'), algod: () => harness.algod });
  const authorized = async () => ({
    ...(await client.createPaymentPayload(2, offer)),
    accepted: offer,
    resource: { url: URL_SOLD },
    extensions: { bazaar: goodDeclaration() },
  });
  expect(await stage.settle(await authorized(), { ...offer, amount: '0' })).toEqual({ success: true });
  expect(await stage.listed()).toEqual([]);
  expect(await stage.settle(await authorized(), { ...offer, amount: '700' })).toMatchObject({ success: true });
  expect(await stage.listed()).toMatchObject([{ accepts: [offer] }]);
});

it('an entry is listed for thirty days after the last payment, and why tells that it was', async () => {
  await stage.sell();
  clock += 29 * DAY_MS;
  await stage.sell();
  clock += 30 * DAY_MS;
  expect(await stage.listed()).toHaveLength(1);
  clock += 1;
  expect(await stage.listed()).toEqual([]);
  expect(await stage.why(URL_SOLD)).toMatchObject({ listed: false, reason: 'expired' });
  await stage.sell();
  expect(await stage.why(URL_SOLD)).toMatchObject({
    listed: true,
    resources: [{ resource: URL_SOLD, accepts: [{ payTo: seller() }], lastUpdated: new Date(clock).toISOString() }],
  });
});

it('a resource that sells often is written once a minute, unless it says something new', async () => {
  let writes = 0;
  const store = createMemorySettlementStore();
  const { catalogue } = store;
  const put: typeof catalogue.put = (entry, options) => {
    writes++;
    return catalogue.put(entry, options);
  };
  const counted = { put, find: catalogue.find.bind(catalogue), ofOrigin: catalogue.ofOrigin.bind(catalogue) };
  await using busy = await DiscoveryStage.start({ catalogue: counted, now: () => clock });
  for (let sale = 0; sale < 3; sale++) expect(await busy.sell()).toMatchObject({ listing: { status: 'success' } });
  expect(writes).toBe(1);
  await busy.sell({ resource: { description: 'Now with wind' } });
  expect(writes).toBe(2);
  clock += 60_000;
  await busy.sell({ resource: { description: 'Now with wind' } });
  expect(writes).toBe(3);
});

it('a resource that was listed by a clock set far forward is written anew by its next sale once the clock is right', async () => {
  const right = clock;
  clock += 60 * DAY_MS;
  await stage.sell();
  clock = right;
  await stage.sell();
  const lastUpdated = new Date(right).toISOString();
  expect(await stage.why(URL_SOLD)).toMatchObject({ resources: [{ lastUpdated }] });
});

it('a catalogue that fails keeps no settlement back', async () => {
  const fails = () => Promise.reject(new Error('the disk is full'));
  await using broken = await DiscoveryStage.start({ catalogue: { put: fails, find: fails, ofOrigin: fails } });
  expect(await broken.sell()).toEqual({ success: true, listing: undefined });
  expect(await broken.get('resources')).toMatchObject({ status: 503, answer: { error: 'store_unavailable' } });
  expect(await broken.get('why', { url: URL_SOLD })).toMatchObject({ status: 503 });
});

it('a catalogue that hangs delays no settlement and is asked for one listing at a time, once for what sells often', async () => {
  const hanging = Promise.withResolvers<undefined>();
  const { catalogue } = createMemorySettlementStore();
  let puts = 0;
  const put: typeof catalogue.put = async (...entry) => {
    puts += 1;
    await hanging.promise;
    return catalogue.put(...entry);
  };
  await using slow = await DiscoveryStage.start({ catalogue: { ...catalogue, put } });
  for (const path of ['/one', '/one', '/two']) {
    const sale = await slow.sell({ resource: { url: `https://shop.example${path}` } });
    expect(sale).toEqual({ success: true, listing: { status: 'processing' } });
  }
  expect(puts).toBe(1);
  hanging.resolve(undefined);
  await eventually(async () => (await slow.listed()).length === 2);
  expect(puts).toBe(2);
});

it('the catalogue outlives the program, and there is none when it is switched off', async () => {
  const { devnode } = stage.harness;
  const folder = await mkdtemp(join(tmpdir(), 'avm402-catalogue-'));
  const environment = {
    ALGOD_URL: devnode.url,
    ALGOD_TOKEN: devnode.token,
    AVM_PRIVATE_KEY: devnode.accounts.facilitator.privateKey,
    SPONSOR_PAY_TO: seller(),
    SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
    PORT: '0',
  };
  const store = createSqliteSettlementStore({ path: environment.SETTLEMENT_STORE });
  await store.open();
  await using before = await DiscoveryStage.start({ store });
  await before.sell();
  await store.close();
  const running = await startFacilitator(parseConfig({ ...environment, DISCOVERY: 'listed' }));
  const kept = await fetch(`${running.url}/discovery/resources`);
  expect(await kept.json()).toMatchObject({ items: [{ resource: URL_SOLD }] });
  await running.stop();
  const off = await startFacilitator(parseConfig({ ...environment, DISCOVERY: 'off' }));
  expect((await fetch(`${off.url}/discovery/resources`)).status).toBe(404);
  expect(await (await fetch(`${off.url}/supported`)).json()).toMatchObject({ extensions: [] });
  await off.stop();
  await rm(folder, { recursive: true });
});
