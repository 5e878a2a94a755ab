import { x402Client } from '@x402/core/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountFromSeed } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { createPayingFetch, reportOf, settlementOf, type PayingFetchOptions } from '@avm402/client';
import { asking, receipt, requirements, startSeller, STRANGE_HEADER, type Answers, type Seller } from './seller.ts';
import { startChain, type Chain } from './toy-chain.ts';

const payer = accountFromSeed(new Uint8Array(32).fill(1));
let chain: Chain;
let seller: Seller;
const open: Seller[] = [];

beforeEach(async () => {
  chain = await startChain();
});
afterEach(async () => {
  await chain.stop();
  for (const one of open.splice(0)) await one.stop();
});

async function sellerThat(answers: Answers): Promise<Seller> {
  seller = await startSeller(answers);
  open.push(seller);
  return seller;
}

/** Asks, settles on chain and answers with the receipt. */
const honest: Answers = async ({ payment }) => {
  if (!payment) return asking();
  await chain.settle(payment.txId);
  return { headers: receipt(payment) };
};

const paying = (options: Partial<PayingFetchOptions> = {}): typeof fetch =>
  createPayingFetch({
    account: payer,
    networks: { 'algorand:*': { url: chain.url } },
    recoverMs: 2_000,
    ...options,
  } as PayingFetchOptions);

describe('a paying fetch', () => {
  it('asks, pays, sends the same request again with the payment, and tells the settlement', async () => {
    const { url } = await sellerThat(honest);
    const response = await paying()(`${url}/weather?city=Zug`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-mine': 'kept' },
      body: 'now',
    });
    expect(await response.json()).toEqual({ report: 'sunny' });
    expect(response.url).toBe(`${url}/weather?city=Zug`);
    const [unpaid, paid] = seller.seen;
    expect(unpaid?.payment).toBeUndefined();
    expect(paid).toMatchObject({ method: 'POST', path: '/weather?city=Zug', body: 'now' });
    expect(paid?.headers).toMatchObject({ 'content-type': 'text/plain', 'x-mine': 'kept' });
    expect(paid?.payment?.payload.accepted).toEqual(requirements);
    expect(settlementOf(response)).toEqual({
      success: true,
      transaction: paid?.payment?.txId,
      network: requirements.network,
    });
    expect(reportOf(response)).toMatchObject({
      offer: { price: '$0.01', sponsored: true },
      payment: { txId: paid?.payment?.txId, amount: 10_000n, payer: payer.address, path: '/weather', origin: url },
    });
  });

  it('makes a fresh payment id for each payment, when the seller declares them', async () => {
    const { url } = await sellerThat(honest);
    const fetchPaid = paying();
    await fetchPaid(url);
    await fetchPaid(url);
    const ids = seller.seen.flatMap(({ payment }) => payment?.paymentId ?? []);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^pay_[0-9a-f]{32}$/);
  });

  it('sends no payment id when none is asked for', async () => {
    const { url } = await sellerThat(async (seen, all) =>
      seen.payment ? honest(seen, all) : asking([{}], { extensions: { other: { info: { a: 1 } } } }),
    );
    await paying()(url);
    expect(seller.seen[1]?.payment?.payload.extensions).toEqual({ other: { info: { a: 1 } } });
  });

  it('makes no algod call for a payment once it is warm', async () => {
    const { url } = await sellerThat(honest);
    const fetchPaid = paying();
    await fetchPaid(url);
    const before = chain.calls();
    for (let index = 0; index < 5; index++) await fetchPaid(url);
    expect(chain.calls() - before).toBeLessThanOrEqual(1);
  });

  it('leaves a response alone that asks for nothing', async () => {
    const { url } = await sellerThat(() => ({ status: 404, body: 'nothing' }));
    const response = await paying()(url);
    expect([response.status, await response.text()]).toEqual([404, 'nothing']);
    expect(settlementOf(response)).toBeUndefined();
    expect(reportOf(response)).toBeUndefined();
  });

  it('leaves a request alone that carries a payment already', async () => {
    const { url } = await sellerThat(() => asking());
    const response = await paying()(url, { headers: { 'PAYMENT-SIGNATURE': STRANGE_HEADER } });
    expect(response.status).toBe(402);
    expect(seller.seen).toHaveLength(1);
  });

  it('pays with a stock x402Client, shown only the chosen offer', async () => {
    const { url } = await sellerThat(async (seen, all) =>
      seen.payment ? honest(seen, all) : asking([{ amount: '20000' }, { amount: '9000' }]),
    );
    const scheme = new ExactAvmClient({ account: payer, algod: () => createAlgodClient({ url: chain.url }) });
    const client = new x402Client().register('algorand:*', scheme);
    const fetchPaid = createPayingFetch({ client, networks: { 'algorand:*': { url: chain.url } } });
    const response = await fetchPaid(url);
    expect(settlementOf(response)?.success).toBe(true);
    expect(seller.seen[1]?.payment?.payload.accepted.amount).toBe('9000');
    expect(seller.seen[1]?.payment?.paymentId).toMatch(/^pay_/);
    expect(reportOf(response)?.payment).toMatchObject({ payer: payer.address, amount: 9000n, fee: 0n });
  });

  it('refuses a payment of another offer from a stock client', async () => {
    const { url } = await sellerThat(honest);
    const scheme = new ExactAvmClient({ account: payer, algod: () => createAlgodClient({ url: chain.url }) });
    const client = {
      createPaymentPayload: async () => ({
        x402Version: 2,
        accepted: requirements,
        payload: (await scheme.createPayment({ ...requirements, amount: '999999' })).payload,
      }),
    };
    await expect(
      createPayingFetch({ client, networks: { 'algorand:*': { url: chain.url } } })(url),
    ).rejects.toMatchObject({
      code: 'signer_failed',
    });
    expect(seller.payments()).toEqual([]);
  });

  it('asks onOffer before it signs, and pays nothing when it says no', async () => {
    const { url } = await sellerThat(honest);
    const asked: string[] = [];
    const fetchPaid = paying({
      onOffer: ({ price, url: where }) => {
        asked.push(`${price} at ${where.origin}`);
        return false;
      },
    });
    await expect(fetchPaid(url)).rejects.toMatchObject({ code: 'offer_declined' });
    expect(asked).toEqual([`$0.01 at ${url}`]);
    expect(seller.payments()).toEqual([]);
  });

  it('quotes without paying: the 402 comes back, with what would be paid', async () => {
    const { url } = await sellerThat(honest);
    const response = await paying({ dryRun: true })(url);
    expect(response.status).toBe(402);
    expect(reportOf(response)?.offer).toMatchObject({ price: '$0.01', requirements: { amount: '10000' } });
    expect(seller.payments()).toEqual([]);
  });
});
