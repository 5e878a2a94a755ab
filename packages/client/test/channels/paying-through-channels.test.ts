import { describe, expect, it, vi } from 'vitest';
import { createPayingFetch, reportOf, settlementOf } from '@avm402/client';
import { channelId } from '@avm402/avm/batch-settlement';
import { deferred } from '@avm402/core/deferred';
import { payer, useStage } from '../stage.ts';
import { memoryChannelStore } from '../../src/channels/channel-store.ts';
import { ChannelSeller, type ChannelSellerOptions } from './channel-seller.ts';
import { walletOf } from '../wallet.ts';
import type { TransactionWallet } from '@avm402/client';

const stage = useStage();

async function selling(options: ChannelSellerOptions = {}) {
  const channelSeller = new ChannelSeller(stage.chain, options);
  const seller = await stage.sellerThat((seen, all) => channelSeller.honest(seen, all));
  return { seller, channelSeller, types: () => channelSeller.came.map(({ type }) => type) };
}

describe('a request through a channel', () => {
  it('opens the channel with the first request, and pays the next ones with a voucher each, without asking first', async () => {
    const { seller, types, channelSeller } = await selling();
    const fetchPaid = stage.paying({ channels: {} });
    for (let request = 0; request < 5; request++) expect((await fetchPaid(seller.url)).status).toBe(200);
    expect(types()).toEqual(['deposit', 'voucher', 'voucher', 'voucher', 'voucher']);
    expect(seller.seen).toHaveLength(6);
    const [channel] = channelSeller.channels.values();
    expect(channel?.credit).toMatchObject({ balance: 1_000_000n, charged: 50_000n, authorized: 50_000n });
  });

  it('reports the offer and the receipt', async () => {
    const { seller, channelSeller } = await selling();
    const fetchPaid = stage.paying({ channels: {} });
    const first = await fetchPaid(seller.url);
    const second = await fetchPaid(seller.url);
    const [channel] = channelSeller.channels.values();
    const id = channel && channelId(channel.config);
    expect(settlementOf(first)).toMatchObject({ success: true, transaction: expect.stringMatching(/^[A-Z2-7]{52}$/) });
    expect(settlementOf(second)).toMatchObject({
      success: true,
      transaction: '',
      extra: { chargedAmount: '10000', channelState: { channelId: id } },
    });
    expect(reportOf(second)?.offer?.price).toBe('$0.01');
  });

  it('signs only for what was charged: metered requests use up the deposit by their cost', async () => {
    const { seller, channelSeller, types } = await selling({ cost: () => 2000n, terms: { minDeposit: 20_000n } });
    const fetchPaid = stage.paying({ channels: { depositMultiple: 2 } });
    for (let request = 0; request < 5; request++) await fetchPaid(seller.url);
    const [channel] = channelSeller.channels.values();
    expect(channel?.credit).toMatchObject({ balance: 20_000n, charged: 10_000n, authorized: 18_000n });
    await fetchPaid(seller.url);
    expect(types().at(-1)).toBe('voucher');
    await fetchPaid(seller.url);
    expect(types().at(-1)).toBe('deposit');
    expect(channel?.credit.balance).toBe(40_000n);
  });

  it('shares a store’s channel with the other payers of its account: none signs an amount that another has signed', async () => {
    const { seller, types } = await selling();
    const store = memoryChannelStore();
    const payers = [stage.paying({ channels: { store } }), stage.paying({ channels: { store } })];
    const statuses = [];
    for (const _round of [1, 2, 3]) {
      const answers = await Promise.all(payers.map((fetchPaid) => fetchPaid(seller.url)));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
    expect(types()).toEqual(['deposit', 'voucher', 'voucher', 'voucher', 'voucher', 'voucher']);
    const [record, ...others] = await store.read();
    expect([record?.signedUpTo, others]).toEqual([1_000_000n, []]);
  });

  it('runs 50 requests side by side on one channel, which opens once', async () => {
    const { seller, channelSeller, types } = await selling();
    const fetchPaid = stage.paying({ channels: {} });
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetchPaid(seller.url)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(types().filter((type) => type === 'deposit')).toHaveLength(1);
    const [channel] = channelSeller.channels.values();
    expect(channel?.credit).toMatchObject({ charged: 500_000n, authorized: 500_000n, reserved: [] });
  });

  it.each([
    ['read to its end', true],
    ['never read', false],
  ])('pays one stream after another that costs more than its head said: %s', async (_how, isRead) => {
    const { seller, channelSeller } = await selling({ cost: () => 100n, streamed: 700n });
    const fetchPaid = stage.paying({ channels: {} });
    const answers: Response[] = [];
    for (let request = 0; request < 3; request++) {
      const answer = await fetchPaid(seller.url);
      if (isRead) await answer.text();
      answers.push(answer);
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [channel] = channelSeller.channels.values();
    expect(channel?.credit).toMatchObject({ charged: 2400n });
  });

  it('adds to the deposit when it is used up, once for all requests that wait', async () => {
    const { seller, channelSeller, types } = await selling({ terms: { minDeposit: 20_000n } });
    const fetchPaid = stage.paying({ channels: { depositMultiple: 10 } });
    await fetchPaid(seller.url);
    const answers = await Promise.all(Array.from({ length: 15 }, () => fetchPaid(seller.url)));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(types().filter((type) => type === 'deposit')).toHaveLength(2);
    const [channel] = channelSeller.channels.values();
    expect(channel?.credit).toMatchObject({ balance: 200_000n, charged: 160_000n });
  });

  it('gives up when its caller does while a wallet does not answer; the deposit that is signed later pays the next', async () => {
    const { seller, types } = await selling({ terms: { minDeposit: 20_000n } });
    const willing = walletOf(payer);
    const answer = deferred<void>();
    let asked = 0;
    const wallet: TransactionWallet = {
      ...willing,
      signTransactions: async (...parameters) => {
        if (asked++ > 0) await answer.promise;
        return willing.signTransactions(...parameters);
      },
    };
    const networks = { 'algorand:*': stage.chain.algod };
    const fetchPaid = createPayingFetch({ account: wallet, networks, channels: { depositMultiple: 2 } });
    for (let request = 0; request < 2; request++) await fetchPaid(seller.url);
    const caller = new AbortController();
    const given = fetchPaid(seller.url, { signal: caller.signal });
    await vi.waitFor(() => expect(asked).toBe(2));
    const next = fetchPaid(seller.url);
    caller.abort();
    await expect(given).rejects.toMatchObject({ name: 'AbortError' });
    answer.resolve();
    expect((await next).status).toBe(200);
    expect([asked, types()]).toEqual([2, ['deposit', 'voucher', 'deposit']]);
  });

  it('asks a wallet that declines to add to the deposit once, for all requests that wait', async () => {
    const { seller, channelSeller } = await selling({ terms: { minDeposit: 20_000n } });
    let asked = 0;
    const willing = walletOf(payer);
    const wallet: TransactionWallet = {
      ...willing,
      signTransactions: (...parameters) =>
        asked++ > 0 ? Promise.reject(new Error('declined')) : willing.signTransactions(...parameters),
    };
    const networks = { 'algorand:*': stage.chain.algod };
    const fetchPaid = createPayingFetch({ account: wallet, networks, channels: { depositMultiple: 10 } });
    await fetchPaid(seller.url);
    const outcomes = await Promise.allSettled(Array.from({ length: 15 }, () => fetchPaid(seller.url)));
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(reasons).toEqual(Array.from({ length: 6 }, () => expect.objectContaining({ code: 'signer_failed' })));
    expect(asked).toBe(2);
    const [channel] = channelSeller.channels.values();
    expect(channel?.credit).toMatchObject({ balance: 100_000n, charged: 100_000n });
  });

  it('is paid with exact where no channels are wanted', async () => {
    const { seller } = await selling();
    await expect(stage.paying()(seller.url)).rejects.toMatchObject({ code: 'no_acceptable_offer' });
  });

  it('counts the deposit against the budgets, not the requests', async () => {
    const { seller } = await selling();
    const fetchPaid = stage.paying({ channels: { depositMultiple: 20 }, spend: { perDay: '$0.25' } });
    for (let request = 0; request < 20; request++) await fetchPaid(seller.url);
    await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
  });
});
