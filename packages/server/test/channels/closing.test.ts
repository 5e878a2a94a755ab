import { describe, expect, it } from 'vitest';
import { charge, type ChannelOptions } from '../../src/index.ts';
import { eventually, offerIn, receiptIn } from '../support/shop.ts';
import {
  ask,
  ChannelBuyer,
  type ChannelMarket,
  type ChannelShop,
  type ChannelShopOptions,
  merchant,
  openChannelShop,
  openMarket,
  payer,
} from '../support/channel-shop.ts';

const DAY_MS = 24 * 60 * 60_000;

interface Opened {
  readonly shop: ChannelShop;
  readonly buyer: ChannelBuyer;
  /** Milliseconds that pass for the seller. */
  readonly pass: (ms: number) => void;
}

/** A shop with a clock of its own that looks for channels to close all the time, and a channel that owes 100. */
async function opened(channels: Partial<ChannelOptions> = {}, market?: ChannelMarket): Promise<Opened> {
  let clock = Date.now();
  const shop = await openChannelShop({
    now: () => clock,
    channels: { sweepMs: 5, ...channels },
    ...(market && { market }),
  });
  const buyer = await ChannelBuyer.of(shop);
  expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(200);
  return { shop, buyer, pass: (ms) => void (clock += ms) };
}

async function stateOf({ shop, buyer }: Pick<Opened, 'shop' | 'buyer'>) {
  const { state, closing, charged } = (await shop.store.get(buyer.channelId)) ?? {};
  return { state, reason: closing?.reason, charged };
}

const closedFor = (reason: string) => ({ state: 'closed', reason, charged: 100n });

describe('a channel is closed', () => {
  it('when its expiry is near, as far as time tells', async () => {
    const market = await openMarket();
    const channel = await opened({ idleMs: 365 * DAY_MS }, market);
    const merchantHas = await market.usdcOf(merchant);
    channel.pass(1_500 * 2_500);
    await expect.poll(() => stateOf(channel)).toEqual(closedFor('expiry'));
    expect(await market.usdcOf(merchant)).toBe(merchantHas + 100n);
  });

  it('when its expiry is near, as its facilitator tells, by a server whose clock is wrong', async () => {
    const market = await openMarket();
    const first = await openChannelShop({ market });
    const { lastRound } = await market.algod.status();
    const buyer = await ChannelBuyer.of(first, { expiry: lastRound + 1_100n });
    expect((await ask(first, await buyer.deposit(1000n, 100n))).status).toBe(200);
    await market.node.mine(700);
    // Restarted on a machine that has not asked for the time yet.
    const shop = await openChannelShop({ market, now: () => 0, channels: { store: first.store, sweepMs: 5 } });
    await expect.poll(() => stateOf({ shop, buyer })).toEqual(closedFor('expiry'));
  });

  it('when it was idle for long', async () => {
    const channel = await opened({ idleMs: 60_000, closingRounds: 1n });
    channel.pass(59_000);
    expect((await ask(channel.shop, channel.buyer.pay(200n))).status).toBe(200);
    channel.pass(59_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await stateOf(channel)).toMatchObject({ state: 'open' });
    channel.pass(1_000);
    await expect.poll(() => stateOf(channel)).toEqual({ ...closedFor('idle'), charged: 200n });
  });

  it('when it owes as much as its seller will risk', async () => {
    const channel = await opened({ maxOwed: 100n });
    await expect.poll(() => stateOf(channel)).toEqual(closedFor('risk'));
  });

  it.each([0n, 1n])('with what it owes, also where that is %s', async (charged) => {
    const handlers: ChannelShopOptions['handlers'] = (app) =>
      app.get('/report', (_request, response) => void response.json({ isCharged: charge(response, charged) }));
    const shop = await openChannelShop({ handlers });
    const buyer = await ChannelBuyer.of(shop);
    expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(200);
    const merchantHas = await shop.market.usdcOf(merchant);
    expect(await shop.seller.channels?.close(buyer.channelId)).toMatchObject({ state: 'closed', charged });
    expect(await shop.market.usdcOf(merchant)).toBe(merchantHas + charged);
  });

  it('when its payer asks for it: the claim’s receipt comes back', async () => {
    const channel = await opened();
    const { shop, buyer } = channel;
    const payerHas = await shop.market.usdcOf(payer.address);
    const answer = await ask(shop, buyer.refund());
    expect(answer.status).toBe(200);
    expect(receiptIn(answer)).toMatchObject({
      success: true,
      transaction: expect.stringMatching(/^[A-Z2-7]{52}$/),
      extra: { chargedAmount: '0', channelState: { totalClaimed: '100', chargedCumulativeAmount: '100' } },
    });
    const { closedBy } = (await shop.store.get(buyer.channelId)) ?? {};
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual({ closed: buyer.channelId, transaction: closedBy });
    expect(receiptIn(answer)?.transaction).toBe(closedBy);
    expect(await stateOf(channel)).toEqual(closedFor('payer'));
    expect(await shop.market.usdcOf(payer.address)).toBe(payerHas + 900n);
    expect(shop.runs()).toBe(1);
  });

  it('at shutdown, if asked', async () => {
    const channel = await opened();
    await channel.shop.seller.channels?.stop();
    expect(await stateOf(channel)).toMatchObject({ state: 'open' });
    await channel.shop.seller.channels?.stop({ close: true });
    expect(await stateOf(channel)).toEqual(closedFor('shutdown'));
  });

  it('after the requests under way have ended, with their charges', async () => {
    let answer: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const shop = await openChannelShop({
      handlers: (app) =>
        app.get('/report', (_request, response) => {
          answer = () => void response.json({});
          begun();
        }),
    });
    const buyer = await ChannelBuyer.of(shop);
    const request = ask(shop, await buyer.deposit(1000n, 100n));
    await running;
    const closing = shop.seller.channels?.close(buyer.channelId);
    await eventually(() => shop.market.facilitator.asked).toEqual(['deposit']);
    const late = await ask(shop, buyer.pay(200n));
    expect([late.status, offerIn(late).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_closed']);
    answer();
    expect((await request).status).toBe(200);
    expect(await closing).toMatchObject({ state: 'closed', charged: 100n });
  });
});

it('a request that goes on for too long does not hold up the close: what it was charged stays, and it ends', async () => {
  const shop = await openChannelShop({
    maxWaitMs: 20,
    handlers: (app) =>
      app.get('/report', async (_request, response) => {
        response.setHeader('Content-Type', 'text/event-stream');
        while (charge(response, 1n)) {
          if (!response.closed) response.write('data: more\n\n');
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }),
  });
  const buyer = await ChannelBuyer.of(shop);
  const answer = await ask(shop, await buyer.deposit(1000n, 100n));
  const closed = await shop.seller.channels?.close(buyer.channelId);
  const text = await answer.text().catch(() => 'broke off');
  expect([closed?.state, text]).toEqual(['closed', 'broke off']);
  expect(closed?.charged).toBeGreaterThan(0n);
  expect((await shop.store.get(buyer.channelId))?.charged).toBe(closed?.charged);
});

describe('a close that fails', () => {
  it('is tried again until it is confirmed; meanwhile nothing is served, and it is reported', async () => {
    const channel = await opened();
    const { shop, buyer } = channel;
    const { facilitator } = shop.market;
    facilitator.trouble = () => Promise.reject(new Error('the node is down'));
    await expect(shop.seller.channels?.close(buyer.channelId)).rejects.toMatchObject({ code: 'channel_not_closed' });
    expect(await stateOf(channel)).toMatchObject({ state: 'closing', reason: 'seller' });
    expect((await ask(shop, buyer.pay(200n))).status).toBe(402);
    await eventually(() => shop.events.some(({ code }) => code === 'channel_not_closed')).toBe(true);
    facilitator.trouble = undefined;
    await expect.poll(() => stateOf(channel)).toEqual(closedFor('seller'));
    expect(shop.events).toContainEqual(expect.objectContaining({ type: 'closed', channelId: buyer.channelId }));
  });

  it('is not lost by any clock: it is tried again for as long as nobody knows better, and paid then', async () => {
    const channel = await opened();
    const { shop } = channel;
    const { facilitator } = shop.market;
    facilitator.trouble = () => Promise.reject(new Error('the node is down'));
    // At four seconds a round its expiry has passed long ago.
    channel.pass(365 * DAY_MS);
    await eventually(() => shop.events.some(({ code }) => code === 'channel_not_closed')).toBe(true);
    expect(await stateOf(channel)).toMatchObject({ state: 'closing' });
    facilitator.trouble = undefined;
    await expect.poll(() => stateOf(channel)).toMatchObject({ state: 'closed', charged: 100n });
  });

  it.each([
    ['its expiry is reached', 'invalid_batch_settlement_avm_channel_expiring', ''],
    ['it was refunded', 'invalid_batch_settlement_avm_channel_closed', 'REFUND'],
  ])('because %s, as the facilitator knows, is not tried again, and reported with what is lost', async (...answer) => {
    const [, errorReason, transaction] = answer;
    const channel = await opened({ sweepMs: 1_000_000 });
    const { shop, buyer } = channel;
    const { facilitator } = shop.market;
    facilitator.trouble = async () => ({ success: false, errorReason, transaction, network: facilitator.network });
    expect(await shop.seller.channels?.close(buyer.channelId)).toMatchObject({ state: 'lost', charged: 100n });
    expect(shop.events).toContainEqual(
      expect.objectContaining({
        type: 'failed',
        code: 'channel_lost',
        error: expect.objectContaining({ message: expect.stringContaining('100 units') }),
      }),
    );
  });

  it('is not told to its payer as closed, who takes the rest back after the expiry', async () => {
    const { shop, buyer } = await opened({ sweepMs: 1_000_000 });
    const { facilitator } = shop.market;
    const errorReason = 'invalid_batch_settlement_avm_channel_expiring';
    facilitator.trouble = async () => ({ success: false, errorReason, transaction: '', network: facilitator.network });
    const answer = await ask(shop, buyer.refund());
    expect([answer.status, await answer.json()]).toMatchObject([402, { error: errorReason }]);
  });

  it('because a claim was confirmed that the facilitator has no record of is no loss: nobody else could have ended it', async () => {
    const channel = await opened({ sweepMs: 1_000_000 });
    const { shop, buyer } = channel;
    const { facilitator } = shop.market;
    const errorReason = 'invalid_batch_settlement_avm_channel_closed';
    facilitator.trouble = async () => ({ success: false, errorReason, transaction: '', network: facilitator.network });
    expect(await shop.seller.channels?.close(buyer.channelId)).toMatchObject({ state: 'closed', charged: 100n });
    expect(shop.events.filter(({ code }) => code === 'channel_lost')).toEqual([]);
    expect(shop.events).toContainEqual(expect.objectContaining({ type: 'closed', channelId: buyer.channelId }));
  });

  it('holds up no other', async () => {
    const one = await opened();
    const other = await opened({ store: one.shop.store }, one.shop.market);
    const { facilitator } = one.shop.market;
    const settle = facilitator.settle.bind(facilitator);
    facilitator.settle = (payload, requirements) =>
      JSON.stringify(payload.payload).includes(Buffer.from(one.buyer.config.salt).toString('base64'))
        ? Promise.reject(new Error('never'))
        : settle(payload, requirements);
    await one.shop.seller.channels?.stop();
    await other.shop.seller.channels?.stop({ close: true });
    expect(await stateOf(one)).toMatchObject({ state: 'closing' });
    expect(await stateOf(other)).toEqual(closedFor('shutdown'));
    const failed = other.shop.events.filter(({ type }) => type === 'failed');
    expect(failed).toMatchObject([{ route: 'channels', channelId: one.buyer.channelId, code: expect.any(String) }]);
  });
});

it('a seller that stops waits for the close under way', async () => {
  const { shop, buyer, pass } = await opened({ idleMs: 60_000 });
  const { facilitator } = shop.market;
  let settle: () => void = () => undefined;
  const held = new Promise<undefined>((resolve) => (settle = () => resolve(undefined)));
  facilitator.trouble = () => held;
  pass(60_000);
  await eventually(() => facilitator.asked).toEqual(['deposit', 'claim']);
  let hasStopped = false;
  const stopped = shop.seller.channels?.stop().then(() => (hasStopped = true));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  settle();
  await stopped;
  expect((await shop.store.get(buyer.channelId))?.state).toBe('closed');
});

it('a seller lists its channels with what each of them owes', async () => {
  const { shop, buyer } = await opened();
  const listed = [];
  for await (const channel of shop.seller.channels?.list() ?? []) listed.push(channel);
  expect(listed).toMatchObject([{ channelId: buyer.channelId, balance: 1000n, charged: 100n, state: 'open' }]);
});

it('a voucher of a channel that is about to expire pays for nothing, and nothing is added to it', async () => {
  const { shop, buyer, pass } = await opened({ sweepMs: 1_000_000 });
  pass(1_500 * 2_500);
  const topUp = await ask(shop, await buyer.deposit(500n, 200n));
  expect([topUp.status, offerIn(topUp).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_expiring']);
  expect(shop.market.facilitator.asked).toEqual(['deposit']);
  const answer = await ask(shop, buyer.pay(200n));
  expect([answer.status, offerIn(answer).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_expiring']);
});

it('a channel lasts from the block of its deposit on that the facilitator tells, not from the last that it could have', async () => {
  const shop = await openChannelShop();
  const { lastRound } = await shop.market.algod.params();
  // 500 rounds before it the channel is closed; the deposit's window has a thousand.
  const buyer = await ChannelBuyer.of(shop, { expiry: lastRound + 1_400n });
  expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(200);
  const { openedRound = 0n } = (await shop.store.get(buyer.channelId)) ?? {};
  expect(openedRound - lastRound).toBeLessThan(10n);
});

describe('a channel whose deposit was signed long before it came', () => {
  /** Its expiry is 1,010 rounds after the first valid round of its deposit, 10 after its last. */
  async function late() {
    const shop = await openChannelShop();
    await shop.market.node.mine(3);
    const { lastRound } = await shop.market.algod.params();
    const buyer = await ChannelBuyer.of(shop, { expiry: lastRound + 1_010n });
    const deposit = await buyer.deposit(1000n, 100n);
    await shop.market.node.mine(995);
    return { shop, buyer, deposit };
  }

  it('pays for nothing: its expiry is near, as the block of its deposit tells', async () => {
    const { shop, buyer, deposit } = await late();
    for (const headers of [deposit, buyer.pay(200n), buyer.pay(300n)]) {
      const answer = await ask(shop, headers);
      expect([answer.status, offerIn(answer).error]).toEqual([402, 'invalid_batch_settlement_avm_channel_expiring']);
    }
    expect(shop.runs()).toBe(0);
  });

  it.each([undefined, '1', '99999999', 'soon'])(
    'pays for nothing where the facilitator tells no such round: it may have taken its whole window (%s)',
    async (confirmedRound) => {
      const { shop, buyer, deposit } = await late();
      const { facilitator } = shop.market;
      const settle = facilitator.settle.bind(facilitator);
      facilitator.settle = async (payload, requirements) => {
        const answer = await settle(payload, requirements);
        return { ...answer, extra: { ...(confirmedRound !== undefined && { confirmedRound }) } };
      };
      expect((await ask(shop, deposit)).status).toBe(402);
      expect((await ask(shop, buyer.pay(200n))).status).toBe(402);
      const later = await ChannelBuyer.of(shop);
      expect((await ask(shop, await later.deposit(1000n, 100n))).status).toBe(200);
      expect(shop.runs()).toBe(1);
    },
  );
});
