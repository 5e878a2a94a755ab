import { describe, expect, it } from 'vitest';
import { charge } from '../../src/index.ts';
import {
  ask,
  ChannelBuyer,
  type ChannelShop,
  type ChannelShopOptions,
  openChannelShop,
} from '../support/channel-shop.ts';
import { type Fault, type FaultyStore, faultyChannelStore } from '../support/faulty-channel-store.ts';

async function openFaultyShop(
  options: ChannelShopOptions = {},
): Promise<{ shop: ChannelShop; store: FaultyStore; buyer: ChannelBuyer }> {
  const store = faultyChannelStore();
  const shop = await openChannelShop({ channels: { store }, ...options });
  const buyer = await ChannelBuyer.of(shop);
  return { shop, store, buyer };
}

async function statusAndError(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json();
  return [answer.status, Object(body).error];
}

const UNAVAILABLE = [503, 'store_unavailable'];

describe('while the record of channels fails', () => {
  it('no request is answered whose charge is not on record, and none is charged', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    await ask(shop, await buyer.deposit(1000n, 100n));
    store.writes.push('fails', 'fails');
    const answer = await ask(shop, buyer.pay(200n));
    expect([await statusAndError(answer), answer.headers.get('payment-response')]).toEqual([UNAVAILABLE, null]);
    expect((await store.get(buyer.channelId))?.charged).toBe(100n);
  });

  it('the same voucher pays once the record can be written', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    await ask(shop, await buyer.deposit(1000n, 100n));
    store.writes.push('fails', 'fails');
    const headers = buyer.pay(200n);
    expect(await statusAndError(await ask(shop, headers))).toEqual(UNAVAILABLE);
    expect((await ask(shop, headers)).status).toBe(200);
    expect((await store.get(buyer.channelId))?.charged).toBe(200n);
  });

  it('the payment id of a request that was not charged is free for another voucher', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    await ask(shop, await buyer.deposit(1000n, 100n));
    store.writes.push('fails', 'fails');
    const paymentId = 'pay_0123456789abcdef';
    expect(await statusAndError(await ask(shop, buyer.pay(200n, paymentId)))).toEqual(UNAVAILABLE);
    expect((await ask(shop, buyer.pay(300n, paymentId))).status).toBe(200);
    expect((await store.get(buyer.channelId))?.charged).toBe(200n);
  });

  it.each<Fault>(['fails', 'answer is lost'])(
    'a write that %s once is made good, and the request is charged once',
    async (fault) => {
      const { shop, store, buyer } = await openFaultyShop();
      await ask(shop, await buyer.deposit(1000n, 100n));
      store.writes.push(fault);
      expect((await ask(shop, buyer.pay(200n))).status).toBe(200);
      expect((await store.get(buyer.channelId))?.charged).toBe(200n);
    },
  );

  it('what was written after all, for a request that was told that the store fails, is taken back', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    await ask(shop, await buyer.deposit(1000n, 100n));
    store.writes.push('answer is lost');
    store.reads.push('fails');
    expect(await statusAndError(await ask(shop, buyer.pay(200n)))).toEqual(UNAVAILABLE);
    expect((await store.get(buyer.channelId))?.charged).toBe(200n);
    expect((await ask(shop, buyer.pay(300n))).status).toBe(200);
    expect((await store.get(buyer.channelId))?.charged).toBe(200n);
  });

  it('a voucher that came twice, and whose first charge is in doubt, is charged once', async () => {
    const waiting: (() => void)[] = [];
    let isGuarded = false;
    const beforePayment = async (): Promise<void> => {
      if (isGuarded) await new Promise<void>((goOn) => waiting.push(goOn));
    };
    const { shop, store, buyer } = await openFaultyShop({ beforePayment });
    await ask(shop, await buyer.deposit(1000n, 100n));
    isGuarded = true;
    const headers = buyer.pay(200n, 'pay_0123456789abcdef');
    const answers = [ask(shop, headers), ask(shop, headers)];
    await expect.poll(() => waiting.length).toBe(2);
    store.writes.push('answer is lost');
    store.reads.push('fails');
    for (const goOn of waiting) {
      goOn();
      await Promise.race(answers);
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect([new Set(statuses), shop.runs()]).toEqual([new Set([503, 200]), 2]);
    expect((await store.get(buyer.channelId))?.charged).toBe(200n);
  });

  it('a channel that can’t be read pays for nothing', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    await ask(shop, await buyer.deposit(1000n, 100n));
    const other = await openChannelShop({ market: shop.market, channels: { store } });
    store.reads.push('fails');
    expect(await statusAndError(await ask(other, buyer.pay(200n)))).toEqual(UNAVAILABLE);
    expect(other.runs()).toBe(0);
    expect((await ask(other, buyer.pay(200n))).status).toBe(200);
  });

  it('a settled deposit that could not be written is counted when it comes again', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    const headers = await buyer.deposit(1000n, 100n);
    store.writes.push('fails');
    expect(await statusAndError(await ask(shop, headers))).toEqual(UNAVAILABLE);
    expect((await ask(shop, headers)).status).toBe(200);
    expect(await store.get(buyer.channelId)).toMatchObject({ balance: 1000n, charged: 100n });
  });

  it('a channel that is gone as soon as it was stored pays for nothing, and the record is told to fail', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    store.get = () => Promise.resolve(undefined);
    expect(await statusAndError(await ask(shop, await buyer.deposit(1000n, 100n)))).toEqual(UNAVAILABLE);
    expect(shop.runs()).toBe(0);
  });

  it('a channel whose close could not be put on record goes on paying', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    await ask(shop, await buyer.deposit(1000n, 100n));
    store.writes.push('fails', 'fails');
    await expect(shop.seller.channels?.close(buyer.channelId)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect((await ask(shop, buyer.pay(200n))).status).toBe(200);
  });

  it('a stream that has ended before its charge failed frees what it had reserved', async () => {
    const { shop, store, buyer } = await openFaultyShop({
      handlers: (app) =>
        app.get('/report', (_request, response) => {
          response.setHeader('Content-Type', 'text/event-stream');
          charge(response, 10n);
          response.write('data: one\n\n');
          response.end('data: two\n\n');
        }),
    });
    expect(await (await ask(shop, await buyer.deposit(1000n, 100n))).text()).toBe('data: one\n\ndata: two\n\n');
    store.writes.push('fails', 'fails');
    expect(await statusAndError(await ask(shop, buyer.pay(200n)))).toEqual(UNAVAILABLE);
    expect((await ask(shop, buyer.pay(201n))).status).toBe(200);
    expect((await store.get(buyer.channelId))?.charged).toBe(20n);
    expect((await ask(shop, buyer.pay(202n))).status).toBe(200);
  });

  it('one channel’s failing write holds up no other', async () => {
    const { shop, store, buyer } = await openFaultyShop();
    const other = await ChannelBuyer.of(shop);
    await ask(shop, await buyer.deposit(1000n, 100n));
    await ask(shop, await other.deposit(1000n, 100n));
    store.write = refusingFor(store, buyer.channelId);
    const answers = await Promise.all([ask(shop, buyer.pay(200n)), ask(shop, other.pay(200n))]);
    expect(answers.map(({ status }) => status)).toEqual([503, 200]);
  });
});

/** A store that refuses every write in which this channel is. */
function refusingFor(store: FaultyStore, channelId: string): FaultyStore['write'] {
  const write = store.write.bind(store);
  return (changes) =>
    changes.some(({ next }) => next.channelId === channelId)
      ? Promise.reject(new Error('no room for this one'))
      : write(changes);
}
