import { randomBytes } from 'node:crypto';
import type { Express } from 'express';
import { expect, it } from 'vitest';
import { ChannelBook } from '../../src/channels/record/channel-book.ts';
import type { LiveChannel } from '../../src/channels/record/live-channel.ts';
import { createMemoryChannelStore } from '../../src/channels/stores/memory-channel-store.ts';
import { Openings } from '../../src/channels/deposits/openings.ts';
import { ChannelBuyer, type ChannelShop, type ChannelShopOptions, openChannelShop } from '../support/channel-shop.ts';
import { channel } from '../support/channels.ts';

/** What the handler does next, while the buyer waits or leaves. */
interface Visit {
  hangUp?: (() => void) | undefined;
}

/** A shop that takes the address of a request from `X-Forwarded-For`, and charges whoever stays for the answer. */
async function openShop(options: ChannelShopOptions = {}): Promise<{ shop: ChannelShop; visit: Visit }> {
  const visit: Visit = {};
  const handlers = (app: Express): void => {
    app.set('trust proxy', true);
    app.get('/report', (request, response) => {
      if (visit.hangUp === undefined) response.json({ report: 1 });
      else request.socket.once('close', () => response.json({ report: 1 }));
      visit.hangUp?.();
    });
  };
  return { shop: await openChannelShop({ ...options, handlers }), visit };
}

async function ask(shop: ChannelShop, address: string, headers: Record<string, string>): Promise<[number, unknown]> {
  const answer = await fetch(shop.url, { headers: { ...headers, 'X-Forwarded-For': address } });
  const { error } = (await answer.json()) as { error?: string };
  return [answer.status, error];
}

/** Opens a channel, and leaves before the answer. */
async function openAndLeave({ shop, visit }: Awaited<ReturnType<typeof openShop>>, address: string) {
  const buyer = await ChannelBuyer.of(shop);
  const left = new AbortController();
  visit.hangUp = () => left.abort();
  const headers = { ...(await buyer.deposit(1000n, 100n)), 'X-Forwarded-For': address };
  await expect(fetch(shop.url, { headers, signal: left.signal })).rejects.toThrow('abort');
  visit.hangUp = undefined;
  return buyer;
}

async function open(shop: ChannelShop, address: string): Promise<[number, unknown]> {
  return ask(shop, address, await (await ChannelBuyer.of(shop)).deposit(1000n, 100n));
}

const REFUSED = [503, 'too_many_unused_channels'];
const SERVED = [200, undefined];

it('a peer that opens channels, leaves, and asks for their close opens so many an hour and no more', async () => {
  const clock = { now: Date.now() };
  const opened = await openShop({ channels: { openingsPerPeer: 2 }, monotonicNow: () => clock.now });
  const { shop } = opened;
  for (const address of ['2001:db8::1', '2001:db8::2']) {
    const buyer = await openAndLeave(opened, address);
    expect(await ask(shop, address, buyer.refund())).toEqual(SERVED);
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ state: 'closed', charged: 0n });
  }
  expect(await open(shop, '2001:db8::3')).toEqual(REFUSED);
  expect(shop.market.facilitator.asked.filter((what) => what === 'deposit').length).toBe(2);
  expect(await open(shop, '2001:db8:0:1::1')).toEqual(SERVED);
  clock.now += 3_600_000;
  expect(await open(shop, '2001:db8::3')).toEqual(SERVED);
});

it('twenty an hour where no other number is given, to the millisecond', async () => {
  let now = 0;
  const book = new ChannelBook({ store: createMemoryChannelStore(), now: () => now, randomBytes });
  const openings = new Openings({ book, monotonicNow: () => now });
  const live = {} as LiveChannel;
  let asked = 0;
  const openOne = (): Promise<unknown> =>
    openings.settle({ address: '192.0.2.1' }, channel(asked++).channelId, async () => ({ kind: 'counted', live }));
  for (let count = 0; count < 20; count++) await openOne();
  now = 3_599_999;
  await expect(openOne()).rejects.toMatchObject({ code: 'too_many_unused_channels' });
  now = 3_600_000;
  await openOne();
});

it('a channel that has paid for a request does not count', async () => {
  const opened = await openShop({ channels: { openingsPerPeer: 1 } });
  const { shop } = opened;
  for (let used = 0; used < 3; used++) expect(await open(shop, '192.0.2.1')).toEqual(SERVED);
  const buyer = await openAndLeave(opened, '192.0.2.1');
  expect(await open(shop, '192.0.2.1')).toEqual(REFUSED);
  expect(await ask(shop, '192.0.2.1', buyer.pay(200n))).toEqual(SERVED);
  expect(await open(shop, '192.0.2.1')).toEqual(SERVED);
});

it('deposits at the same time are counted before they are settled', async () => {
  const { shop } = await openShop({ channels: { openingsPerPeer: 1 } });
  const { facilitator } = shop.market;
  const buyers = await Promise.all([1, 2, 3].map(() => ChannelBuyer.of(shop)));
  const deposits = await Promise.all(buyers.map((buyer) => buyer.deposit(1000n, 100n)));
  let settle: () => void = () => undefined;
  const isSettled = new Promise<undefined>((resolve) => (settle = () => resolve(undefined)));
  facilitator.trouble = () => isSettled;
  const [first = {}, ...others] = deposits;
  const served = ask(shop, '192.0.2.1', first);
  await expect.poll(() => facilitator.asked.length).toBe(1);
  for (const headers of others) expect(await ask(shop, '192.0.2.1', headers)).toEqual(REFUSED);
  settle();
  expect(await served).toEqual(SERVED);
}, 15_000);

it('a deposit that is refused, or not settled, does not count', async () => {
  const { shop } = await openShop({ channels: { openingsPerPeer: 1 } });
  const { facilitator } = shop.market;
  const errorReason = 'invalid_batch_settlement_avm_insufficient_balance';
  facilitator.trouble = async () => ({ success: false, errorReason, transaction: '', network: facilitator.network });
  for (let refused = 0; refused < 3; refused++) {
    expect(await open(shop, '192.0.2.1')).toEqual([402, errorReason]);
  }
  facilitator.trouble = undefined;
  expect(await open(shop, '192.0.2.1')).toEqual(SERVED);
});

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'whoever comes from %s is not limited: a proxy that is not trusted may forward for all',
  async (address) => {
    const opened = await openShop({ channels: { openingsPerPeer: 1 } });
    await openAndLeave(opened, address);
    expect(await open(opened.shop, address)).toEqual(SERVED);
  },
);
