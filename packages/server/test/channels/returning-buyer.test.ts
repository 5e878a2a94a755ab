import { describe, expect, it } from 'vitest';
import { eventually, offerIn, receiptIn } from '../support/shop.ts';
import { ask, ChannelBuyer, openChannelShop } from '../support/channel-shop.ts';

const PAYMENT_ID = 'pay_0123456789abcdef';

describe('a buyer that comes back with its voucher and payment id', () => {
  it('gets the answer again, with its receipt, and nothing is charged or run', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    const deposit = await buyer.deposit(1000n, 100n, PAYMENT_ID);
    const first = await ask(shop, deposit);
    const again = await ask(shop, deposit);
    expect([again.status, await again.text()]).toEqual([200, await first.text()]);
    expect(receiptIn(again)?.extra).toEqual(receiptIn(first)?.extra);
    expect(shop.events.filter(({ type }) => type === 'replayed')).toMatchObject([{ channelId: buyer.channelId }]);
    expect([shop.runs(), (await shop.store.get(buyer.channelId))?.charged]).toEqual([1, 100n]);
    expect(shop.market.facilitator.asked).toEqual(['deposit']);
  });

  it('gets the one answer when its deposit comes twice at the same time', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    const deposit = await buyer.deposit(1000n, 100n, PAYMENT_ID);
    const answers = await Promise.all([1, 2, 3].map(async () => (await ask(shop, deposit)).json()));
    expect(answers).toEqual([{ report: 1 }, { report: 1 }, { report: 1 }]);
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ balance: 1000n, charged: 100n });
  });

  it('waits for the answer while it is being made', async () => {
    let answer: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const shop = await openChannelShop({
      handlers: (app, count) =>
        app.get('/report', (_request, response) => {
          count();
          answer = () => void response.json({ made: 'once' });
          begun();
        }),
    });
    const buyer = await ChannelBuyer.of(shop);
    const headers = await buyer.deposit(1000n, 100n, PAYMENT_ID);
    const first = ask(shop, headers);
    await running;
    const second = ask(shop, headers);
    const stranger = await ask(shop, buyer.pay(100n, 'pay_another_buyers_id'));
    expect([stranger.status, offerIn(stranger).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_busy']);
    answer();
    expect(await Promise.all([first, second].map(async (one) => (await one).json()))).toEqual([
      { made: 'once' },
      { made: 'once' },
    ]);
    expect(shop.runs()).toBe(1);
  });

  it('gets the answer that was made after it had left, charged once; it holds no room any more', async () => {
    let answer: () => void = () => undefined;
    let begun: () => void = () => undefined;
    let left: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const hasLeft = new Promise<void>((resolve) => (left = resolve));
    const shop = await openChannelShop({
      maxHeldBytesPerPayer: 1.5 * '{"made":"later"}'.length,
      handlers: (app, count) =>
        app.get('/report', (_request, response) => {
          count();
          response.on('close', left);
          answer = () => void response.json({ made: 'later' });
          begun();
        }),
    });
    const buyer = await ChannelBuyer.of(shop);
    const headers = await buyer.deposit(1000n, 100n, PAYMENT_ID);
    const leaving = new AbortController();
    const first = expect(fetch(shop.url, { headers, signal: leaving.signal })).rejects.toThrow();
    await running;
    leaving.abort();
    await Promise.all([first, hasLeft]);
    answer();
    const again = await ask(shop, headers);
    expect([again.status, await again.json(), shop.runs()]).toEqual([200, { made: 'later' }, 1]);
    expect((await shop.store.get(buyer.channelId))?.charged).toBe(100n);
    const next = ask(shop, buyer.pay(200n));
    await eventually(shop.runs).toBe(2);
    answer();
    expect((await next).status).toBe(200);
  });

  it('does not get it once its time is over, also before it is forgotten', async () => {
    let clock = Date.now();
    const shop = await openChannelShop({ now: () => clock, storedForMs: 1_000 });
    const buyer = await ChannelBuyer.of(shop);
    const headers = await buyer.deposit(1000n, 100n, PAYMENT_ID);
    await ask(shop, headers);
    clock += 999;
    expect((await ask(shop, headers)).status).toBe(200);
    clock += 1;
    const late = await ask(shop, headers);
    expect([late.status, receiptIn(late)?.success]).toEqual([402, true]);
  });

  it('does not get it for another request, nor without the payment id', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    const headers = await buyer.deposit(1000n, 100n, PAYMENT_ID);
    await ask(shop, headers);
    const other = await fetch(`${shop.url}?other`, { headers });
    const without = await ask(shop, buyer.pay(100n));
    for (const answer of [other, without]) {
      expect([answer.status, offerIn(answer).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_busy']);
      expect(receiptIn(answer)).toBeUndefined();
    }
  });

  it('can’t use its payment id for another voucher', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    await ask(shop, await buyer.deposit(1000n, 100n, PAYMENT_ID));
    const answer = await ask(shop, buyer.pay(200n, PAYMENT_ID));
    expect([answer.status, await answer.json()]).toEqual([
      409,
      expect.objectContaining({ error: 'payment_id_conflict' }),
    ]);
    expect(shop.runs()).toBe(1);
  });

  it('can use its payment id again after a handler that failed, with another voucher', async () => {
    let status = 500;
    const shop = await openChannelShop({
      handlers: (app) => app.get('/report', (_request, response) => void response.status(status).json({})),
    });
    const buyer = await ChannelBuyer.of(shop);
    expect((await ask(shop, await buyer.deposit(1000n, 100n, PAYMENT_ID))).status).toBe(500);
    status = 200;
    expect((await ask(shop, buyer.pay(101n, PAYMENT_ID))).status).toBe(200);
  });
});
