import { expect, it } from 'vitest';
import { claimKeyOf } from '@avm402/avm/batch-settlement/server/record';
import { Channels } from '../../src/channels/channels.ts';
import { FacilitatorPool } from '../../src/facilitator/facilitator-pool.ts';
import { type ChannelOptions, createMemoryChannelStore } from '../../src/index.ts';
import { faultyChannelStore } from '../support/faulty-channel-store.ts';
import { afterwards, offerIn } from '../support/shop.ts';
import { ask, ChannelBuyer, type ChannelShop, openChannelShop, statuses } from '../support/channel-shop.ts';

/** Two servers of one seller, on one store, and a channel of 1,000 that has paid for one request at the first. */
async function twoServers(): Promise<{ one: ChannelShop; two: ChannelShop; buyer: ChannelBuyer }> {
  const one = await openChannelShop();
  const two = await openChannelShop({ market: one.market, channels: { store: one.store } });
  const buyer = await ChannelBuyer.of(one);
  expect((await ask(one, await buyer.deposit(1000n, 100n))).status).toBe(200);
  return { one, two, buyer };
}

it('two servers on one store charge one channel, and neither more than was signed', async () => {
  const { one, two, buyer } = await twoServers();
  const amounts = [200n, 300n, 400n, 500n, 600n, 700n, 800n, 900n, 1000n];
  const answers = await Promise.all(amounts.map((amount, index) => ask(index % 2 ? one : two, buyer.pay(amount))));
  const served = answers.filter(({ status }) => status === 200).length;
  expect(await one.store.get(buyer.channelId)).toMatchObject({ charged: 100n * BigInt(served + 1), authorized: 1000n });
  expect(served).toBe(9);
});

it('a voucher that comes to both is answered by one and charged once', async () => {
  const { one, two, buyer } = await twoServers();
  for (let amount = 200n; amount <= 900n; amount += 100n) {
    const answers = await Promise.all([one, two].map((shop) => ask(shop, buyer.pay(amount))));
    expect(statuses(answers)).toEqual([200, 402]);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused && offerIn(refused).error).toBe('invalid_batch_settlement_avm_channel_busy');
    expect((await one.store.get(buyer.channelId))?.charged).toBe(amount);
  }
});

it('a deposit that comes to both is counted once', async () => {
  const { one, two, buyer } = await twoServers();
  const topUp = await buyer.deposit(500n, 200n);
  const answers = await Promise.all([one, two].map((shop) => ask(shop, topUp)));
  expect(statuses(answers)).toEqual([200, 402]);
  expect(await one.store.get(buyer.channelId)).toMatchObject({ balance: 1500n, charged: 200n });
});

it('a channel that one has closed pays for nothing at the other', async () => {
  const { one, two, buyer } = await twoServers();
  expect((await ask(two, buyer.pay(200n))).status).toBe(200);
  await one.seller.channels?.close(buyer.channelId);
  const late = await ask(two, buyer.pay(300n));
  expect([late.status, offerIn(late).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_closed']);
  expect(await one.store.get(buyer.channelId)).toMatchObject({ state: 'closed', charged: 200n });
});

it('a channel that one has closed is closed: to close it again, at either, changes nothing and asks nobody', async () => {
  const { one, two, buyer } = await twoServers();
  const closed = await one.seller.channels?.close(buyer.channelId);
  expect(closed).toMatchObject({ state: 'closed', closedBy: expect.stringMatching(/^[A-Z2-7]{52}$/) });
  for (const shop of [two, one]) {
    expect(await shop.seller.channels?.close(buyer.channelId)).toMatchObject({
      state: 'closed',
      closing: closed?.closing,
      closedBy: closed?.closedBy,
    });
  }
  expect(one.market.facilitator.asked).toEqual(['deposit', 'claim']);
});

function channelsOn(options: ChannelOptions): Channels {
  const channels = new Channels(options, {
    pool: new FacilitatorPool([], Date.now),
    report: () => {},
    now: Date.now,
    monotonicNow: Date.now,
    verifyTimeoutMs: 1,
    settleTimeoutMs: 1,
    maxWaitMs: 1,
  });
  afterwards(() => channels.stop());
  return channels;
}

it('two servers with one claim key and two stores ask for a settlement by two keys, two on one store by one', async () => {
  const claimKey = new Uint8Array(32).fill(9);
  const [shared, other] = [createMemoryChannelStore(), createMemoryChannelStore()];
  const all = [shared, shared, other].map((store) => channelsOn({ store, claimKey }));
  const [one, two, three] = await Promise.all(all.map((channels) => channels.idempotencyKey('TXID')));
  expect([one === two, one === three]).toEqual([true, false]);
  const keys = await Promise.all(all.map(async (channels) => (await channels.claimKey()).address));
  expect(new Set(keys)).toEqual(new Set([claimKeyOf(claimKey).address]));
});

it('a claim key that the store can’t give is asked for again, and one that it gave is kept', async () => {
  const store = faultyChannelStore();
  const seeds: Uint8Array[] = [];
  const claimKey = async (made: Uint8Array): Promise<Uint8Array> => {
    if (seeds.push(made) === 1) throw new Error('the disk is full');
    return store.claimKey(made);
  };
  const channels = channelsOn({ store: { ...store, claimKey } });
  await expect(channels.claimKey()).rejects.toMatchObject({ code: 'store_unavailable' });
  const { address } = await channels.claimKey();
  expect((await channels.claimKey()).address).toBe(address);
  expect(seeds.map(({ length }) => length)).toEqual([32, 32]);
});
