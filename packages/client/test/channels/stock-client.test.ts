import { expect, it } from 'vitest';
import { parseAccount } from '@avm402/algorand/account';
import { channelId, type ChannelPayload, parseChannelPayload } from '@avm402/avm/batch-settlement';
import { checkDeposit } from '@avm402/avm/batch-settlement/server/record';
import { BatchSettlementAvmClient } from '@avm402/avm/batch-settlement/client';
import {
  decodePaymentSignatureHeader,
  encodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@avm402/core/headers';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { x402Client } from '@x402/core/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { accounts } from '../chain.ts';
import { useStage } from '../stage.ts';
import { type Answer, asking } from '../seller.ts';
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

it('a stock client opens another channel once its own node has seen that the seller has closed the first', async () => {
  const { sold, url, scheme, fetchPaid, types } = await selling();
  await fetchPaid(url);
  const [channel] = sold.channels.values();
  if (!channel) throw new Error('no channel was opened');
  sold.retire(channelId(channel.config));
  await stage.chain.mine(40);
  expect((await fetchPaid(url)).status, 'by the seller’s word alone').toBe(402);
  await sold.close(channel);
  expect((await fetchPaid(url)).status).toBe(200);
  expect(types().filter((type) => type === 'deposit')).toHaveLength(2);
  expect(scheme.channels()).toHaveLength(2);
});

it('a stock client pays one metered stream after another, whose receipts tell less than they cost', async () => {
  const { sold, url, fetchPaid } = await selling({ cost: () => 1000n, streamed: 6000n });
  for (let request = 0; request < 4; request++) expect((await fetchPaid(url)).status).toBe(200);
  expect([...sold.channels.values()][0]?.credit.charged).toBe(28_000n);
});

it.each([
  ['signs anew where its own key has signed what it is told', true, 200, 20_000n],
  ['believes nothing that its own key has not signed', false, 402, 10_000n],
])('a stock client whose voucher is outdated %s', async (_what, isOwn, status, charged) => {
  const sold = new ChannelSeller(stage.chain);
  let isBusy = false;
  const { url } = await stage.sellerThat(async (seen, all) => {
    const [channel] = sold.channels.values();
    if (!isBusy || !seen.payment || !channel?.highest) return sold.honest(seen, all);
    isBusy = false;
    const highest = isOwn ? channel.highest : { ...channel.highest, signature: new Uint8Array(64) };
    return sold.corrective({ ...channel, highest }, await sold.offer(), 'channel_busy');
  });
  const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod });
  const fetchPaid = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
  await fetchPaid(url);
  isBusy = true;
  expect((await fetchPaid(url)).status).toBe(status);
  expect([...sold.channels.values()][0]?.credit.charged).toBe(charged);
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

it.each([
  ['the deposit that a seller asks for', { minDeposit: 1_000_001n }],
  ['the rounds that a seller asks for', { minRounds: 432_001n }],
])('a program without limits of its own does not take %s beyond ours', async (_, terms) => {
  const sold = new ChannelSeller(stage.chain, { terms });
  const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod });
  const offer = await sold.offer();
  await expect(scheme.createPaymentPayload(2, offer)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
  expect(scheme.channels()).toEqual([]);
});

/** The TxIDs of the deposits that came. */
async function depositIds(came: readonly ChannelPayload[], offer: PaymentRequirements): Promise<Set<string>> {
  return new Set(came.flatMap((payload) => (payload.type === 'deposit' ? [checkDeposit(payload, offer).txId] : [])));
}

const pendingAnswer = (offer: PaymentRequirements): Answer => {
  const receipt = { success: false, errorReason: 'settlement_pending', transaction: 'T', network: offer.network };
  return { status: 503, headers: { 'PAYMENT-RESPONSE': encodePaymentResponseHeader(receipt) } };
};

it.each([
  ['is told that it is pending', pendingAnswer],
  ['is told that it is refused', (offer: PaymentRequirements) => asking([offer], { error: 'channel_not_found' })],
  ['is told nothing', (): Answer => ({ status: 502 })],
])(
  'a stock client that %s presents the same deposit again, also once it has come, and pays by vouchers after a receipt',
  async (_, answer) => {
    const sold = new ChannelSeller(stage.chain);
    const offer = await sold.offer();
    const held: ChannelPayload[] = [];
    let holds = true;
    const { url } = await stage.sellerThat(async (seen, all) => {
      const header = seen.headers['payment-signature'];
      if (typeof header !== 'string' || !holds) return sold.honest(seen, all);
      held.push(parseChannelPayload(decodePaymentSignatureHeader(header).payload));
      return answer(offer);
    });
    const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod });
    const fetchPaid = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
    for (let request = 0; request < 3; request++) await fetchPaid(url).catch(() => {});
    expect((await depositIds(held, offer)).size).toBe(1);
    expect(held.length).toBeGreaterThanOrEqual(3);
    const [first] = held;
    if (first?.type !== 'deposit') throw new Error('no deposit');
    await sold.settle(first, offer);
    holds = false;
    for (let request = 0; request < 2; request++) expect((await fetchPaid(url)).status).toBe(200);
    expect(sold.came.map(({ type }) => type)).toEqual(['deposit', 'voucher']);
    expect(scheme.channels()).toHaveLength(1);
  },
);

it('a stock client presents a deposit again as it is for the same price, and signs for more where the price is higher', async () => {
  const offer = await new ChannelSeller(stage.chain).offer();
  const came: ChannelPayload[] = [];
  const { url } = await stage.sellerThat(({ headers, path }) => {
    const header = headers['payment-signature'];
    if (typeof header !== 'string') return asking([{ ...offer, amount: path === '/dear' ? '20000' : '10000' }]);
    came.push(parseChannelPayload(decodePaymentSignatureHeader(header).payload));
    return { status: 502 };
  });
  const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod });
  const fetchPaid = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
  for (const path of ['/', '/', '/dear']) await fetchPaid(url + path);
  expect(await depositIds(came, offer)).toHaveProperty('size', 1);
  const amounts = came.map((payload) => (payload.type === 'deposit' ? payload.voucher?.maxClaimableAmount : 0n));
  expect(amounts).toEqual([10_000n, 10_000n, 30_000n]);
});

it('a stock client opens another channel when its deposit can’t come any more', async () => {
  const sold = new ChannelSeller(stage.chain);
  let holds = true;
  const { url } = await stage.sellerThat(async (seen, all) =>
    holds && seen.headers['payment-signature'] !== undefined ? { status: 502 } : sold.honest(seen, all),
  );
  const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod });
  const fetchPaid = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
  await fetchPaid(url);
  holds = false;
  await stage.chain.mine(40);
  expect((await fetchPaid(url)).status).toBe(200);
  expect(scheme.channels()).toHaveLength(2);
  expect([...sold.channels.values()][0]?.credit.charged).toBe(10_000n);
});

it('a stock client whose top-up can’t come any more keeps its channel, and counts its request as unpaid', async () => {
  const sold = new ChannelSeller(stage.chain, { terms: { minDeposit: 20_000n } });
  let loses = false;
  const { url } = await stage.sellerThat(async (seen, all) =>
    loses && seen.headers['payment-signature'] !== undefined ? { status: 502 } : sold.honest(seen, all),
  );
  const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod, maxDeposit: 20_000n });
  const fetchPaid = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
  for (let request = 0; request < 2; request++) await fetchPaid(url);
  loses = true;
  expect((await fetchPaid(url)).status).toBe(502);
  loses = false;
  await stage.chain.mine(40);
  for (let request = 0; request < 2; request++) expect((await fetchPaid(url)).status).toBe(200);
  expect(scheme.channels()).toHaveLength(1);
  const [channel] = sold.channels.values();
  expect(channel?.credit).toMatchObject({ balance: 40_000n, charged: 40_000n, authorized: 40_000n });
});

it('a stock client whose top-up is refused keeps its channel, and adds the same deposit again', async () => {
  const sold = new ChannelSeller(stage.chain, { terms: { minDeposit: 20_000n } });
  let refuses = true;
  const { url } = await stage.sellerThat(async (seen, all) => {
    const header = seen.headers['payment-signature'];
    const payload = typeof header === 'string' && parseChannelPayload(decodePaymentSignatureHeader(header).payload);
    const isTopUp = payload !== false && payload.type === 'deposit' && payload.deposit.paymentGroup.length === 2;
    if (!isTopUp || !refuses) return sold.honest(seen, all);
    sold.came.push(payload);
    return asking([await sold.offer()], { error: 'invalid_batch_settlement_avm_sponsor_budget' });
  });
  const scheme = new BatchSettlementAvmClient({ account, algod: () => stage.chain.algod, maxDeposit: 20_000n });
  const fetchPaid = wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
  const answers: number[] = [];
  for (let request = 0; request < 3; request++) answers.push((await fetchPaid(url)).status);
  refuses = false;
  for (let request = 0; request < 3; request++) answers.push((await fetchPaid(url)).status);
  expect(answers).toEqual([200, 200, 402, 200, 200, 200]);
  const offer = await sold.offer();
  expect(await depositIds(sold.came, offer)).toHaveProperty('size', 3);
  expect(scheme.channels()).toHaveLength(1);
  expect([...sold.channels.values()][0]?.credit).toMatchObject({ balance: 60_000n, charged: 50_000n });
});
