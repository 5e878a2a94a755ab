import { x402Client } from '@x402/core/client';
import { describe, expect, it } from 'vitest';
import type { AlgodClient } from '@avm402/algorand/algod';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { TESTNET } from '@avm402/algorand/networks';
import { encodeTransaction, type AssetTransferTransaction, type Transaction } from '@avm402/algorand/transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import { createPayingFetch, reportOf, settlementOf, type StockClient } from '@avm402/client';
import { accounts } from './chain.ts';
import { asking, requirements, sponsor, STRANGE_HEADER } from './seller.ts';
import { payer, useStage } from './stage.ts';

const stage = useStage();

const transfer: AssetTransferTransaction = {
  type: 'axfer',
  sender: payer.address,
  receiver: requirements.payTo,
  assetId: BigInt(requirements.asset),
  amount: 10_000n,
  fee: 0n,
  firstValid: 1n,
  lastValid: 30n,
  genesisHash: decodeBase64(TESTNET.genesisHash) ?? new Uint8Array(),
};
const sponsoring: Transaction = {
  type: 'pay',
  sender: sponsor,
  receiver: sponsor,
  amount: 0n,
  fee: 2000n,
  firstValid: 1n,
  lastValid: 30n,
  genesisHash: transfer.genesisHash,
};

/** A stock client whose payment is this group; the last member is said to be the payment. */
function clientThatMakes(group: readonly Transaction[]): StockClient {
  const paymentGroup = group.map((txn) =>
    encodeBase64(txn.sender === payer.address ? payer.signTransaction(txn) : encodeTransaction(txn)),
  );
  const payload = { paymentGroup, paymentIndex: group.length - 1 };
  return { createPaymentPayload: () => Promise.resolve({ x402Version: 2, accepted: requirements, payload }) };
}

describe('a paying fetch', () => {
  it('that is sent through another one has the report of the outer one', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying({
      dryRun: true,
      fetch: stage.paying({ dryRun: true, spend: { perPayment: '$5' } }),
    });
    const response = await fetchPaid(seller.url);
    expect(reportOf(response)?.offer?.price).toBe('$0.01');
    expect(reportOf(response.clone())).toBe(reportOf(response));
  });

  it('asks, pays, sends the same request again with the payment, and tells the settlement', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const response = await stage.paying()(`${seller.url}/weather?city=Zug`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-mine': 'kept' },
      body: 'now',
    });
    const clone = response.clone().clone();
    expect(await clone.json()).toEqual({ report: 'sunny' });
    expect(reportOf(clone)).toBe(reportOf(response));
    expect(await response.json()).toEqual({ report: 'sunny' });
    expect(response.url).toBe(`${seller.url}/weather?city=Zug`);
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
      payment: {
        txId: paid?.payment?.txId,
        amount: 10_000n,
        payer: payer.address,
        path: '/weather',
        origin: seller.url,
      },
    });
  });

  it('makes a fresh payment id for each payment, when the seller declares them', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying();
    await fetchPaid(seller.url);
    await fetchPaid(seller.url);
    const ids = seller.seen.flatMap(({ payment }) => payment?.paymentId ?? []);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^pay_[0-9a-f]{32}$/);
  });

  it('sends no payment id when none is asked for', async () => {
    const seller = await stage.sellerThat(async (seen, all) =>
      seen.payment ? stage.honest(seen, all) : asking([{}], { extensions: { other: { info: { a: 1 } } } }),
    );
    await stage.paying()(seller.url);
    expect(seller.seen[1]?.payment?.payload.extensions).toEqual({ other: { info: { a: 1 } } });
  });

  it('makes no algod call for a payment once it is warm', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying();
    await fetchPaid(seller.url);
    const before = stage.chain.calls();
    for (let index = 0; index < 5; index++) await fetchPaid(seller.url);
    expect(stage.chain.calls() - before).toBeLessThanOrEqual(1);
  });

  it('uses its connections again', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = stage.paying();
    for (let index = 0; index < 20; index++) await (await fetchPaid(`${seller.url}/${index}`)).arrayBuffer();
    expect(seller.seen).toHaveLength(40);
    expect(seller.connections()).toBeLessThan(5);
  });

  it('leaves a response alone that asks for nothing', async () => {
    const seller = await stage.sellerThat(() => ({ status: 404, body: 'nothing' }));
    const response = await stage.paying()(seller.url);
    expect([response.status, await response.text()]).toEqual([404, 'nothing']);
    expect(settlementOf(response)).toBeUndefined();
    expect(reportOf(response)).toBeUndefined();
  });

  it('leaves a request alone that carries a payment already', async () => {
    const seller = await stage.sellerThat(() => asking());
    const response = await stage.paying()(seller.url, { headers: { 'PAYMENT-SIGNATURE': STRANGE_HEADER } });
    expect(response.status).toBe(402);
    expect(seller.seen).toHaveLength(1);
  });

  it('pays with a stock x402Client, shown only the chosen offer', async () => {
    const seller = await stage.sellerThat(async (seen, all) =>
      seen.payment ? stage.honest(seen, all) : asking([{ amount: '20000' }, { amount: '9000' }]),
    );
    const scheme = new ExactAvmClient({ account: payer, algod: () => stage.chain.algod });
    const client = new x402Client().register('algorand:*', scheme);
    const fetchPaid = createPayingFetch({ client, networks: { 'algorand:*': stage.chain.algod } });
    const response = await fetchPaid(seller.url);
    expect(settlementOf(response)?.success).toBe(true);
    expect(seller.seen[1]?.payment?.payload.accepted.amount).toBe('9000');
    expect(seller.seen[1]?.payment?.paymentId).toMatch(/^pay_/);
    expect(reportOf(response)?.payment).toMatchObject({ payer: payer.address, amount: 9000n, fee: 0n });
  });

  it('refuses a payment of another offer from a stock client', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const scheme = new ExactAvmClient({ account: payer, algod: () => stage.chain.algod });
    const client = {
      createPaymentPayload: async () => ({
        x402Version: 2,
        accepted: requirements,
        payload: (await scheme.createPayment({ ...requirements, amount: '999999' })).payload,
      }),
    };
    await expect(
      createPayingFetch({ client, networks: { 'algorand:*': stage.chain.algod } })(seller.url),
    ).rejects.toMatchObject({
      code: 'signer_failed',
    });
    expect(seller.payments()).toEqual([]);
  });

  it.each([
    ['fee_above_limit', { extra: {} }, 10_001n],
    ['fee_payer_suspicious', { extra: { feePayer: payer.address } }, 0n],
  ])('refuses a payment from a stock client: %s', async (code, change, fee) => {
    const seller = await stage.sellerThat((seen, all) => (seen.payment ? stage.honest(seen, all) : asking([change])));
    const client = clientThatMakes([{ ...transfer, fee }]);
    const fetchPaid = createPayingFetch({ client, networks: { 'algorand:*': stage.chain.algod } });
    await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code });
    expect(seller.payments()).toEqual([]);
  });

  const elsewhere = accounts.payer5.address;
  it.each<[string, Transaction[]]>([
    ['closes the holding to somebody', [{ ...transfer, assetCloseTo: elsewhere }]],
    ['rekeys the account', [{ ...transfer, rekeyTo: elsewhere }]],
    ['takes from somebody else', [{ ...transfer, assetSender: elsewhere }]],
    ['is valid on another network', [{ ...transfer, genesisHash: new Uint8Array(32).fill(7) }]],
    ['comes with a second transfer', [{ ...transfer, amount: 5_000_000n }, transfer]],
    ["comes with a third transaction, the sponsor's", [sponsoring, sponsoring, transfer]],
  ])('refuses a payment from a stock client that %s', async (_what, group) => {
    const seller = await stage.sellerThat(stage.honest);
    const fetchPaid = createPayingFetch({
      client: clientThatMakes(group),
      networks: { 'algorand:*': stage.chain.algod },
    });
    await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'signer_failed' });
    expect(seller.payments()).toEqual([]);
  });

  it.each([
    [10_000n, 200],
    [10_001n, 'fee_above_limit'],
  ])('pays a network fee of %s µAlgo itself: %s', async (minFee, outcome) => {
    const { algod } = stage.chain;
    const busy: AlgodClient = { ...algod, params: async (signal) => ({ ...(await algod.params(signal)), minFee }) };
    const seller = await stage.sellerThat((seen, all) =>
      seen.payment ? stage.honest(seen, all) : asking([{ extra: {} }]),
    );
    const result = await stage
      .paying({ networks: { 'algorand:*': busy } })(seller.url)
      .then(
        ({ status }) => status,
        (error: { code: string }) => error.code,
      );
    expect(result).toBe(outcome);
    expect(seller.payments()).toHaveLength(outcome === 200 ? 1 : 0);
  });

  it('does not pay for HEAD, which brings nothing', async () => {
    const seller = await stage.sellerThat(stage.honest);
    expect((await stage.paying()(seller.url, { method: 'HEAD' })).status).toBe(402);
    expect(seller.payments()).toEqual([]);
  });

  it('asks onOffer before it signs, and pays nothing when it says no', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const asked: string[] = [];
    const fetchPaid = stage.paying({
      onOffer: ({ price, url: where }) => {
        asked.push(`${price} at ${where.origin}`);
        return false;
      },
    });
    await expect(fetchPaid(seller.url)).rejects.toMatchObject({ code: 'offer_declined' });
    expect(asked).toEqual([`$0.01 at ${seller.url}`]);
    expect(seller.payments()).toEqual([]);
  });

  it('quotes without paying: the 402 comes back, with what would be paid', async () => {
    const seller = await stage.sellerThat(stage.honest);
    const response = await stage.paying({ dryRun: true })(seller.url);
    expect(response.status).toBe(402);
    expect(reportOf(response)?.offer).toMatchObject({ price: '$0.01', requirements: { amount: '10000' } });
    expect(seller.payments()).toEqual([]);
  });
});
