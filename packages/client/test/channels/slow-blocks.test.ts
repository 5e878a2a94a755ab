import { describe, expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { channelId } from '@avm402/avm/batch-settlement';
import { createPayer, type JournalEntry } from '@avm402/client';
import { accounts, type Chain } from '../chain.ts';
import { startSeller } from '../seller.ts';
import { ChannelSeller, type ChannelSellerOptions } from './channel-seller.ts';
import { startSlowChain } from '../slow-chain.ts';

const USDC = 10_458_941n;
const account = parseAccount(accounts.payer.privateKey);

/** A seller and a buyer on a chain that takes its time. */
async function market(behind: 0 | 1, options: ChannelSellerOptions = {}, blockMs = 200) {
  const slowChain = await startSlowChain(behind, blockMs);
  const { chain, own, ...slow } = slowChain;
  const sold = new ChannelSeller(chain, { ...options, terms: { minDeposit: 20_000n, ...options.terms } });
  const seller = await startSeller(sold.honest);
  const entries: JournalEntry[] = [];
  const payer = createPayer({
    account,
    networks: { 'algorand:*': own },
    channels: { depositMultiple: 3 },
    journal: { read: () => Promise.resolve(entries), append: (entry) => Promise.resolve(void entries.push(entry)) },
    recoverMs: 5_000,
  });
  const usdcOf = async (address: string): Promise<bigint> =>
    (await chain.algod.accountAsset(address, USDC))?.amount ?? 0n;
  const channel = () => {
    const [only] = sold.channels.values();
    if (!only) throw new Error('no channel');
    return only;
  };
  return {
    ...slow,
    chain,
    sold,
    payer,
    channel,
    ask: async (path = '') => (await payer.fetch(seller.url + path)).status,
    holdings: async () => [await usdcOf(account.address), await usdcOf(accounts.merchant.address)] as const,
    returned: () => entries.reduce((sum, entry) => sum + (entry.event === 'returned' ? entry.amount : 0n), 0n),
    [Symbol.asyncDispose]: async () => {
      await seller.stop();
      await slowChain[Symbol.asyncDispose]();
    },
  };
}

/** Transactions that wait for a block. */
async function groupsWaiting({ url, token }: Chain): Promise<unknown> {
  const headers = { 'X-Algo-API-Token': token };
  const answer = await fetch(`${url}/v2/transactions/pending?format=json`, { headers });
  return Object(await answer.json())['total-transactions'];
}

describe.concurrent.each([
  ['shows each block at once', 0],
  ['is one block behind', 1],
] as const)('where blocks take their time and the own node %s', (_name, behind) => {
  it('a channel opens, pays, grows and closes to the unit', async () => {
    await using shop = await market(behind, { cost: () => 9000n });
    const before = await shop.holdings();
    for (let request = 0; request < 4; request++) expect(await shop.ask()).toBe(200);
    const side = await Promise.all(['/1', '/2', '/3'].map((path) => shop.ask(path)));
    expect(side).toEqual([200, 200, 200]);
    const [view] = (await shop.payer.channels?.list()) ?? [];
    expect(await shop.payer.channels?.close(view?.id ?? '')).toEqual({ state: 'closed' });
    const after = await shop.holdings();
    expect([before[0] - after[0], after[1] - before[1]]).toEqual([63_000n, 63_000n]);
    // What was signed for counts as spent, though the seller took less.
    expect(shop.returned()).toBe(90_000n - (view?.claimable ?? 0n));
  });

  it('a request that needs more than a deposit waits until the own node has seen that one', async () => {
    await using shop = await market(behind, {}, 600);
    for (let request = 0; request < 4; request++) expect(await shop.ask()).toBe(200);
    expect(shop.channel().credit).toMatchObject({ balance: 60_000n, charged: 40_000n });
  });

  it('a seller that starts again within a block of the deposit gets no other one', async () => {
    await using shop = await market(behind);
    expect(await shop.ask()).toBe(200);
    shop.sold.forget();
    expect([await shop.ask(), await shop.ask()]).toEqual([200, 200]);
    expect((await shop.chain.confirmed()).length).toBe(2);
  });

  it('what a channel holds is taken back after the expiry by one group', async () => {
    await using shop = await market(behind, { terms: { minRounds: 0n } });
    await shop.ask();
    await shop.mine(1010);
    const [before] = await shop.holdings();
    const id = channelId(shop.channel().config);
    expect(await shop.payer.channels?.recover(id)).toEqual({ state: 'closed' });
    expect([(await shop.holdings())[0] - before, shop.sent()]).toEqual([30_000n, 1]);
  });

  it('what a close has handed over is taken by one group', async () => {
    // Longer than the pause between two looks at the chain.
    await using shop = await market(behind, {}, 600);
    await shop.ask();
    const id = channelId(shop.channel().config);
    await shop.sold.handOver(shop.channel());
    const [before] = await shop.holdings();
    await shop.mine(1);
    expect(await shop.payer.channels?.recover(id)).toEqual({ state: 'closed' });
    expect([(await shop.holdings())[0] - before, shop.sent()]).toEqual([20_000n, 1]);
  });

  it('a recovery that comes while another one waits for its block counts that one', async ({ expect: ofThisTest }) => {
    await using shop = await market(behind, { terms: { minRounds: 0n } });
    await shop.ask();
    await shop.mine(1010);
    await shop.stopClock();
    const id = channelId(shop.channel().config);
    const [before] = await shop.holdings();
    const refunded = shop.sold.refund(shop.channel());
    await ofThisTest.poll(() => groupsWaiting(shop.chain)).toBeGreaterThan(0);
    const recovered = shop.payer.channels?.recover(id);
    await ofThisTest.poll(shop.sent).toBe(1);
    for (let block = 0; block < 3; block++) await shop.mine(1);
    expect(await recovered).toEqual({ state: 'closed' });
    await refunded;
    expect([(await shop.holdings())[0] - before, shop.sent()]).toEqual([30_000n, 1]);
  });
});
