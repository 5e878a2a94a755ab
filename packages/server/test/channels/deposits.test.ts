import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { describe, expect, it } from 'vitest';
import { amountKey } from '../../src/channels/stores/channel-row.ts';
import { ask, ChannelBuyer, type ChannelShopOptions, openChannelShop } from '../support/channel-shop.ts';
import { offerIn, receiptIn } from '../support/shop.ts';

/** The rounds of the payer's transfer. */
function windowOf(headers: Record<string, string>) {
  const { payload } = JSON.parse(Buffer.from(headers['PAYMENT-SIGNATURE'] ?? '', 'base64').toString());
  const { txn } = decodeSignedTransaction(Buffer.from(payload.deposit.paymentGroup.at(-1), 'base64'));
  return { first: txn.firstValid, last: txn.lastValid };
}

describe('a channel', () => {
  it.each<[string, (window: { first: bigint; last: bigint }) => bigint, 'first' | 'last']>([
    ['the first that its deposit can be in', ({ first }) => first, 'first'],
    ['the last that it can be in', ({ last }) => last, 'last'],
    ['one before, which is impossible', ({ first }) => first - 1n, 'last'],
    ['one after, which is impossible', ({ last }) => last + 1n, 'last'],
  ])('lasts from the round that its facilitator tells: %s', async (_name, told, opened) => {
    const now = Date.now();
    const shop = await openChannelShop({ now: () => now });
    const { facilitator } = shop.market;
    const buyer = await ChannelBuyer.of(shop);
    const headers = await buyer.deposit(1000n, 100n);
    const window = windowOf(headers);
    const settle = facilitator.settle.bind(facilitator);
    facilitator.settle = async (...asked) => {
      const answer = await settle(...asked);
      return { ...answer, extra: { confirmedRound: told(window).toString() } };
    };
    expect((await ask(shop, headers)).status).toBe(200);
    expect(await shop.store.get(buyer.channelId)).toMatchObject({ openedRound: window[opened], openedAt: now });
  });

  it('begins open, with nothing but its deposit, however its first request ends; its settlement is reported', async () => {
    const now = Date.now();
    const handlers: ChannelShopOptions['handlers'] = (app) =>
      app.get('/report', (_request, response) => void response.status(500).json({}));
    const shop = await openChannelShop({ now: () => now, handlers });
    const buyer = await ChannelBuyer.of(shop);
    expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(500);
    const row = await shop.store.get(buyer.channelId);
    expect(row).toEqual({
      channelId: buyer.channelId,
      version: 1,
      state: 'open',
      config: buyer.config,
      requirements: expect.objectContaining({ amount: '100' }),
      balance: 1000n,
      authorized: 0n,
      charged: 0n,
      floor: 0n,
      openedAt: now,
      openedRound: expect.any(BigInt),
      usedAt: now,
    });
    const { payer } = buyer.config;
    expect(shop.events).toContainEqual(
      expect.objectContaining({
        type: 'settled',
        payer,
        channelId: buyer.channelId,
        txId: expect.stringMatching(/^[A-Z2-7]{52}$/),
      }),
    );
  });

  it('tells its network’s round to the others of its seller: those that end soon pay for nothing any more', async () => {
    const shop = await openChannelShop();
    const { facilitator } = shop.market;
    const { lastRound } = await shop.market.algod.params();
    const early = await ChannelBuyer.of(shop, { expiry: lastRound + 1_100n });
    expect((await ask(shop, await early.deposit(1000n, 100n))).status).toBe(200);
    expect((await ask(shop, early.pay(200n))).status).toBe(200);
    const settle = facilitator.settle.bind(facilitator);
    facilitator.settle = async (...asked) => ({
      ...(await settle(...asked)),
      extra: { confirmedRound: `${lastRound + 700n}` },
    });
    expect((await ask(shop, await (await ChannelBuyer.of(shop)).deposit(1000n, 100n))).status).toBe(200);
    expect(offerIn(await ask(shop, early.pay(300n))).error).toBe('invalid_batch_settlement_avm_channel_expiring');
  });
});

describe('a deposit that is refused', () => {
  it.each([
    ['what its facilitator says', 'the payer has too little', 'the payer has too little'],
    ['its reason alone where it says no more', undefined, undefined],
  ])('is answered by 402 with %s, and reported', async (_name, errorMessage, message) => {
    const shop = await openChannelShop();
    const { facilitator } = shop.market;
    const buyer = await ChannelBuyer.of(shop);
    const errorReason = 'invalid_batch_settlement_avm_insufficient_balance';
    const refusal = { success: false, errorReason, transaction: '', network: facilitator.network } as const;
    facilitator.trouble = async () => ({ ...refusal, ...(errorMessage !== undefined && { errorMessage }) });
    const answer = await ask(shop, await buyer.deposit(1000n, 100n));
    expect([answer.status, offerIn(answer).error, receiptIn(answer)?.errorReason]).toEqual([
      402,
      errorReason,
      errorReason,
    ]);
    const body: unknown = await answer.json();
    if (message !== undefined) expect(JSON.stringify(body)).toContain(message);
    expect(shop.events).toContainEqual(
      expect.objectContaining({
        type: 'released',
        channelId: buyer.channelId,
        code: errorReason,
        payer: buyer.config.payer,
      }),
    );
    expect(await shop.store.get(buyer.channelId)).toBeUndefined();
  });

  it('that comes twice at once is asked for once, and again when it comes later', async () => {
    const shop = await openChannelShop();
    const { facilitator } = shop.market;
    const buyer = await ChannelBuyer.of(shop);
    const headers = await buyer.deposit(1000n, 100n);
    let settle: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (settle = resolve));
    const errorReason = 'invalid_batch_settlement_avm_insufficient_balance';
    facilitator.trouble = async () => {
      await held;
      return { success: false, errorReason, transaction: '', network: facilitator.network };
    };
    const both = [ask(shop, headers), ask(shop, headers)];
    await expect.poll(() => facilitator.asked.length).toBe(1);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    settle();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([402, 402]);
    const before = facilitator.asked.length;
    await ask(shop, headers);
    expect([before, facilitator.asked.length]).toEqual([before, before + 1]);
  });
});

it('amounts are ordered as text by twenty digits, the most that 64 bits have', () => {
  expect([amountKey(0n), amountKey(2n ** 64n - 1n)]).toEqual(['0'.repeat(20), '18446744073709551615']);
});
