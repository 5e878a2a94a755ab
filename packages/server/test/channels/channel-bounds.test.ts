import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ChannelBook } from '../../src/channels/record/channel-book.ts';
import { KeptResponses } from '../../src/channels/serving/kept-responses.ts';
import { type ChannelOptions, type ChannelStore, createMemoryChannelStore } from '../../src/index.ts';
import { ask, ChannelBuyer, openChannelShop } from '../support/channel-shop.ts';
import { eventually } from '../support/shop.ts';

const PAYMENT_ID = 'pay_0123456789abcdef';

it('an answer is forgotten at the end of its time, and what else is known of its request is not', async () => {
  let clock = Date.now();
  const shop = await openChannelShop({ now: () => clock, channels: { sweepMs: 5 }, storedForMs: 1_000 });
  const buyer = await ChannelBuyer.of(shop);
  const headers = await buyer.deposit(1000n, 100n, PAYMENT_ID);
  await ask(shop, headers);
  clock += 1_000;
  await eventually(async () => (await shop.store.request(buyer.channelId, 100n))?.response).toBeUndefined();
  expect(await shop.store.remembered(buyer.channelId)).toHaveLength(1);
});

it('a channel that nothing is under way on is drained at once, and no timer is left that keeps its program alive', async () => {
  const shop = await openChannelShop();
  const buyer = await ChannelBuyer.of(shop);
  await ask(shop, await buyer.deposit(1000n, 100n));
  const live = await new ChannelBook({ store: shop.store, now: Date.now, randomBytes }).find(buyer.channelId);
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await live?.drain(60_000);
  expect([live === undefined, timers()]).toEqual([false, before]);
});

it('a closed channel takes neither its deposit again nor a voucher, though both are forgotten', async () => {
  const shop = await openChannelShop();
  const buyer = await ChannelBuyer.of(shop);
  const headers = await buyer.deposit(1000n, 100n, PAYMENT_ID);
  await ask(shop, headers);
  await shop.seller.channels?.close(buyer.channelId);
  expect(await shop.store.remembered(buyer.channelId)).toEqual([]);
  const later = await openChannelShop({ market: shop.market, channels: { store: shop.store } });
  for (const again of [headers, buyer.pay(100n), buyer.pay(200n)]) expect((await ask(later, again)).status).toBe(402);
  expect([later.runs(), shop.market.facilitator.asked]).toEqual([0, ['deposit', 'claim']]);
});

it('answers are kept up to a bound of each payer and of all, and their room is free when their time is over', () => {
  let [now, monotonicNow] = [0, 0];
  const kept = new KeptResponses({ now: () => now, monotonicNow: () => monotonicNow, maxPerPayer: 10, maxInTotal: 15 });
  const keep = (payer: string, bytes: number): boolean =>
    kept.keep(payer, { status: 200, headers: [], body: new Uint8Array(bytes), keptUntil: now + 100 }) !== undefined;
  expect([keep('a', 10), keep('a', 1), keep('b', 6), keep('b', 5), keep('c', 1)]).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
  // A clock that is set back must not keep what comes later from being kept.
  [now, monotonicNow] = [-86_400_000, 99];
  expect(keep('a', 1)).toBe(false);
  monotonicNow = 100;
  expect([keep('a', 10), keep('b', 5)]).toEqual([true, true]);
});

it('16 MiB of each payer are kept where nothing else is said, and 256 MiB of all', () => {
  const kept = new KeptResponses({ now: () => 0, monotonicNow: () => 0 });
  const mebibyte = new Uint8Array(1_048_576);
  const keep = (payer: number, body: Uint8Array): boolean =>
    kept.keep(`${payer}`, { status: 200, headers: [], body, keptUntil: 1 }) !== undefined;
  for (let payer = 0; payer < 16; payer++) {
    for (let count = 0; count < 16; count++) expect(keep(payer, mebibyte)).toBe(true);
    expect(keep(payer, new Uint8Array(1))).toBe(false);
  }
  expect(keep(16, new Uint8Array(1))).toBe(false);
});

it('a payer’s answers beyond its bound are delivered, and not kept', async () => {
  const body = 'x'.repeat(1_000_000);
  const shop = await openChannelShop({
    handlers: (app) => app.get('/report', (_request, response) => void response.send(body)),
  });
  const buyer = await ChannelBuyer.of(shop);
  await ask(shop, await buyer.deposit(10_000n, 100n, `${PAYMENT_ID}_0`));
  for (let count = 1n; count < 20n; count++) {
    const answer = await ask(shop, buyer.pay(100n * (count + 1n), `${PAYMENT_ID}_${count}`));
    expect((await answer.text()).length).toBe(body.length);
  }
  const kept = await Promise.all(
    Array.from({ length: 20 }, (_, index) => shop.store.request(buyer.channelId, 100n * BigInt(index + 1))),
  );
  expect(kept.filter((request) => request?.response !== undefined)).toHaveLength(16);
});

/** A store in which one row can't be read. */
function damaged(channelId: () => string): ChannelStore {
  const store = createMemoryChannelStore();
  const error = new SyntaxError('not JSON');
  const read = store.get.bind(store);
  const list = store.unfinished.bind(store);
  return Object.assign(store, {
    get: async (id: string) => (id === channelId() ? Promise.reject(error) : read(id)),
    unfinished: async (page: Parameters<typeof list>[0]) =>
      (await list(page)).map((one) => (one.channelId === channelId() ? { channelId: one.channelId, error } : one)),
  });
}

/** A shop with three open channels, the first of which can't be read any more. */
async function withDamage(options: Partial<ChannelOptions> = {}) {
  let broken = '';
  let clock = Date.now();
  const store = damaged(() => broken);
  const shop = await openChannelShop({ now: () => clock, channels: { store, ...options } });
  const buyers = await Promise.all([1, 2, 3].map(() => ChannelBuyer.of(shop)));
  for (const buyer of buyers) await ask(shop, await buyer.deposit(1000n, 100n));
  const [first = '', ...others] = buyers.map(({ channelId }) => channelId);
  broken = first;
  const states = () => Promise.all(others.map(async (channelId) => (await store.get(channelId))?.state));
  const isReported = () => shop.events.some(({ channelId, type }) => channelId === broken && type === 'failed');
  return { shop, others, states, isReported, pass: (ms: number) => void (clock += ms) };
}

describe('a row that can’t be read is reported, and', () => {
  it('does not keep the others from being listed, and closed at shutdown', async () => {
    const { shop, others, states, isReported } = await withDamage();
    const listed: string[] = [];
    for await (const { channelId } of shop.seller.channels?.list() ?? []) listed.push(channelId);
    expect(listed).toEqual(others.toSorted());
    expect(isReported()).toBe(true);
    await shop.seller.channels?.stop({ close: true });
    expect(await states()).toEqual(['closed', 'closed']);
  });

  it('does not keep the others from being closed when they are due', async () => {
    const { states, isReported, pass } = await withDamage({ sweepMs: 5, idleMs: 60_000 });
    pass(60_000);
    await eventually(states).toEqual(['closed', 'closed']);
    expect(isReported()).toBe(true);
  });
});
