import { expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { channelId } from '@avm402/avm/batch-settlement';
import { BatchSettlementAvmClient } from '@avm402/avm/batch-settlement/client';
import { encodePaymentSignatureHeader } from '@avm402/core/headers';
import { x402Client } from '@x402/core/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { accounts } from '../chain.ts';
import { useStage } from '../stage.ts';
import { ChannelSeller, type ChannelSellerOptions } from './channel-seller.ts';
import { walletOf } from '../wallet.ts';
import type { TransactionWallet } from '@avm402/client';

const stage = useStage();
const account = parseAccount(accounts.payer.privateKey);

async function selling(options: ChannelSellerOptions = {}) {
  const sold = new ChannelSeller(stage.chain, options);
  const { url } = await stage.sellerThat((seen, all) => sold.honest(seen, all));
  const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod });
  const stock = new x402Client().register('algorand:*', scheme);
  return {
    sold,
    url,
    scheme,
    fetchPaid: wrapFetchWithPayment(fetch, stock),
    types: () => sold.came.map(({ type }) => type),
  };
}

it('a stock client pays through a channel: one deposit, then vouchers', async () => {
  const { sold, url, scheme, fetchPaid, types } = await selling({ cost: () => 4000n });
  for (let request = 0; request < 4; request++) expect((await fetchPaid(url)).status).toBe(200);
  expect(types()).toEqual(['deposit', 'voucher', 'voucher', 'voucher']);
  const [channel] = sold.channels.values();
  expect(channel?.credit).toMatchObject({ charged: 16_000n, authorized: 22_000n });
  expect(scheme.channels().map(channelId)).toEqual(channel && [channelId(channel.config)]);
});

it('a stock client’s program has its channel closed by the word of the session key, and pays with it no more', async () => {
  const { sold, url, scheme, fetchPaid, types } = await selling();
  await fetchPaid(url);
  const [config] = scheme.channels();
  const id = config ? channelId(config) : '';
  const payload = await scheme.closePayload(id);
  const accepted = await sold.offer();
  const header = encodePaymentSignatureHeader({ x402Version: 2, accepted, payload });
  expect((await fetch(url, { headers: { 'PAYMENT-SIGNATURE': header } })).status).toBe(200);
  expect(await stage.chain.algod.accountAsset(id, 10_458_941n)).toBeUndefined();
  await fetchPaid(url);
  expect([types(), scheme.channels().length]).toEqual([['deposit', 'refund', 'deposit'], 2]);
  await expect(scheme.closePayload(accounts.payer.address)).rejects.toMatchObject({ code: 'channel_unavailable' });
});

it('a stock client pays one metered stream after another, whose receipts tell less than they cost', async () => {
  const { sold, url, fetchPaid } = await selling({ cost: () => 1000n, streamed: 6000n });
  for (let request = 0; request < 4; request++) expect((await fetchPaid(url)).status).toBe(200);
  expect([...sold.channels.values()][0]?.credit.charged).toBe(28_000n);
});

it('a stock client’s requests that come while the channel opens wait for it', async () => {
  const { sold, url, fetchPaid, types } = await selling();
  const answers = await Promise.all(Array.from({ length: 5 }, () => fetchPaid(url)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(types().filter((type) => type === 'deposit')).toHaveLength(1);
  expect([...sold.channels.values()][0]?.credit.charged).toBe(50_000n);
});

it('a stock client adds to the deposit when it is used up, within the stock cap on one payment', async () => {
  const { sold, url, fetchPaid, types } = await selling({ terms: { minDeposit: 20_000n }, offer: { amount: '20000' } });
  for (let request = 0; request < 101; request++) await fetchPaid(url);
  expect(types().filter((type) => type === 'deposit')).toHaveLength(3);
  expect([...sold.channels.values()][0]?.credit).toMatchObject({ balance: 3_000_000n, charged: 2_020_000n });
});

it('a stock client whose wallet declines the deposit asks it again with the next request', async () => {
  const { sold, url } = await selling();
  let declines = 1;
  const willing = walletOf(account);
  const wallet: TransactionWallet = {
    ...willing,
    signTransactions: (...parameters) =>
      declines-- > 0 ? Promise.reject(new Error('declined')) : willing.signTransactions(...parameters),
  };
  const scheme = new BatchSettlementAvmClient({ account: wallet, algod: () => stage.chain.algod });
  const fetchPaid = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
  await expect(fetchPaid(url)).rejects.toThrow(/signer|wallet|declined/i);
  for (let request = 0; request < 3; request++) expect((await fetchPaid(url)).status).toBe(200);
  expect([...sold.channels.values()][0]?.credit.charged).toBe(30_000n);
});
