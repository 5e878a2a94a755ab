import type { Express } from 'express';
import type { Tracer } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { offerIn, receiptIn } from '../support/shop.ts';
import { ask, ChannelBuyer, merchant, openChannelShop, payer } from '../support/channel-shop.ts';

describe('a request that a channel pays for', () => {
  it('opens the channel with a deposit, is paid by vouchers without asking anybody, and is claimed in one close', async () => {
    const shop = await openChannelShop();
    const { market, seller } = shop;
    const buyer = await ChannelBuyer.of(shop);
    const before = { merchant: await market.usdcOf(merchant), payer: await market.usdcOf(payer.address) };

    const first = await ask(shop, await buyer.deposit(1000n, 100n));
    expect([first.status, await first.json()]).toEqual([200, { report: 1 }]);
    expect(receiptIn(first)).toMatchObject({
      success: true,
      payer: payer.address,
      transaction: expect.stringMatching(/^[A-Z2-7]{52}$/),
      extra: {
        chargedAmount: '100',
        channelState: {
          channelId: buyer.channelId,
          balance: '1000',
          totalClaimed: '0',
          chargedCumulativeAmount: '100',
        },
      },
    });

    const second = await ask(shop, buyer.pay(200n));
    expect(second.status).toBe(200);
    expect(receiptIn(second)).toMatchObject({
      transaction: '',
      extra: { chargedAmount: '100', channelState: { chargedCumulativeAmount: '200' } },
    });
    expect(market.facilitator.asked).toEqual(['deposit']);

    expect(await seller.channels?.close(buyer.channelId)).toMatchObject({ state: 'closed', charged: 200n });
    expect(await market.usdcOf(merchant)).toBe(before.merchant + 200n);
    expect(await market.usdcOf(payer.address)).toBe(before.payer - 200n);
    expect((await ask(shop, buyer.pay(300n))).status).toBe(402);
    expect(shop.runs()).toBe(2);
  });

  it('is refused by a voucher whose channel nobody opened', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    const answer = await ask(shop, buyer.pay(100n));
    expect([answer.status, offerIn(answer).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_not_found']);
    expect(shop.runs()).toBe(0);
  });

  it('is reported as it is settled, claimed and charged', async () => {
    const shop = await openChannelShop();
    const buyer = await ChannelBuyer.of(shop);
    await ask(shop, await buyer.deposit(1000n, 100n));
    await ask(shop, buyer.pay(200n));
    const { channelId } = buyer;
    const about = { payer: payer.address, channelId };
    expect(shop.events.filter(({ type }) => type !== 'offered')).toMatchObject([
      { ...about, type: 'settled', txId: expect.stringMatching(/^[A-Z2-7]{52}$/) },
      { ...about, type: 'claimed', txId: `${channelId}/100` },
      { ...about, type: 'settled', txId: `${channelId}/100` },
      { ...about, type: 'claimed', txId: `${channelId}/200` },
      { ...about, type: 'settled', txId: `${channelId}/200` },
    ]);
  });

  it('is shown to the seller’s guard first: what it refuses is neither settled, run nor charged', async () => {
    let isRefusing = true;
    const seen: unknown[] = [];
    const shop = await openChannelShop({
      beforePayment: async ({ payer: by, txId, requirements }) => {
        seen.push([by, txId, requirements.amount]);
        await new Promise((resolve) => setImmediate(resolve));
        return isRefusing ? { refuse: 'not you' } : undefined;
      },
    });
    const buyer = await ChannelBuyer.of(shop);
    const deposit = await buyer.deposit(1000n, 100n);
    const refused = await ask(shop, deposit);
    expect([refused.status, Object(await refused.json()).error]).toEqual([403, 'payment_refused']);
    expect([shop.market.facilitator.asked, await shop.store.get(buyer.channelId)]).toEqual([[], undefined]);
    isRefusing = false;
    expect((await ask(shop, deposit)).status).toBe(200);
    isRefusing = true;
    expect((await ask(shop, buyer.pay(200n))).status).toBe(403);
    expect([shop.runs(), (await shop.store.get(buyer.channelId))?.charged]).toEqual([1, 100n]);
    const [by, id] = [payer.address, buyer.channelId];
    expect(seen).toEqual([`${id}/100`, `${id}/100`, `${id}/200`].map((txId) => [by, txId, '100']));
  });

  it('is one of as many as its payer may have at work, and frees its place however it ends', async () => {
    let answer: () => void = () => undefined;
    let isHeld = false;
    const shop = await openChannelShop({
      maxPaymentsPerPayer: 1,
      handlers: (app) =>
        app.get('/report', (_request, response) => {
          answer = () => void response.json({});
          if (!isHeld) answer();
        }),
    });
    const buyer = await ChannelBuyer.of(shop);
    expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(200);
    expect((await ask(shop, buyer.pay(150n))).status).toBe(402);
    isHeld = true;
    const before = answer;
    const first = ask(shop, buyer.pay(200n));
    await expect.poll(() => answer !== before).toBe(true);
    const second = await ask(shop, buyer.pay(300n));
    expect([second.status, Object(await second.json()).error]).toEqual([429, 'too_many_payments_in_flight']);
    answer();
    expect((await first).status).toBe(200);
    isHeld = false;
    expect((await ask(shop, buyer.pay(300n))).status).toBe(200);
  });

  it('is charged and reported where whatever stands around it throws as the head is written', async () => {
    const writeHead = (): never => {
      throw new Error('broken');
    };
    const before = (app: Express): void =>
      void app.use((request, response, next) => {
        if (request.get('PAYMENT-SIGNATURE') !== undefined) Object.assign(response, { writeHead });
        next();
      });
    const shop = await openChannelShop({ before });
    const buyer = await ChannelBuyer.of(shop);
    const answer = await ask(shop, await buyer.deposit(1000n, 100n));
    expect([answer.status, Object(await answer.json()).error]).toEqual([500, 'response_failed']);
    expect(shop.events).toContainEqual(expect.objectContaining({ type: 'failed', error: new Error('broken') }));
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ charged: 100n });
  });

  it('frees what it reserved where whatever stands around its handler throws', async () => {
    let isBroken = true;
    const span = { end() {}, setAttributes() {}, addEvent() {}, setStatus() {}, recordException() {} };
    const spanContext = () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 });
    const startActiveSpan = (name: string, ...rest: readonly unknown[]): unknown => {
      if (name === 'x402.handler' && isBroken) throw new Error('the recorder is broken');
      const work = rest.at(-1);
      return typeof work === 'function' ? work({ ...span, spanContext }) : undefined;
    };
    const tracer = { startActiveSpan, startSpan: () => ({ ...span, spanContext }) } as unknown as Tracer;
    const shop = await openChannelShop({ tracer });
    const buyer = await ChannelBuyer.of(shop);
    expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(500);
    isBroken = false;
    expect((await ask(shop, buyer.pay(101n))).status).toBe(200);
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ charged: 100n });
  });
});
