// Searches of AlgoKit utils 9 and 10, which ask page by page until a page is empty.
import { indexer as indexer9 } from 'algokit-utils-9';
import {
  IndexerClient,
  lookupAccountCreatedApplicationByAddress as lookupApplications10,
  searchTransactions as searchTransactions10,
} from 'algokit-utils-10/indexer-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIndexedNode, type IndexedNode } from './chain-of-payments.ts';

const USDC = 10_458_941n;

describe('searches of AlgoKit utils', () => {
  let chain: IndexedNode;
  let client10: IndexerClient;
  const paid: string[] = [];

  beforeAll(async () => {
    chain = await startIndexedNode();
    for (const amount of [1n, 2n, 3n, 4n, 5n]) paid.push(await chain.pay(amount));
    client10 = new IndexerClient({ baseUrl: chain.node.indexerUrl ?? '', token: chain.node.token });
  });
  afterAll(() => chain.node.stop());

  test('version 9 finds all transactions over several pages', async () => {
    const { address } = chain.node.accounts.payer;
    const found = await indexer9.searchTransactions(
      chain.indexer,
      (search) => search.txType('pay').addressRole('sender').address(address),
      2,
    );
    expect(found.transactions.map(({ id }) => id)).toEqual(paid.toReversed());
    expect(found.currentRound).toBe(5n);
  });

  test('version 10 finds all transactions over several pages', async () => {
    const { address } = chain.node.accounts.payer;
    const found = await searchTransactions10(client10, { txType: 'pay', addressRole: 'sender', address }, 2);
    expect(found.transactions.map(({ id }) => id)).toEqual(paid.toReversed());
    expect(found.currentRound).toBe(5n);
    expect(found.transactions[0]?.paymentTransaction?.amount).toBe(5n);
  });

  test('version 9 finds who holds an asset', async () => {
    const holdings = await indexer9.lookupAssetHoldings(chain.indexer, USDC, { currencyGreaterThan: 0 }, 3);
    expect(holdings).toHaveLength(9);
    expect(holdings.map(({ address }) => address)).toContain(chain.node.accounts.payer.address);
  });

  test('both find no applications of an account, deleted ones included', async () => {
    const { address } = chain.node.accounts.payer;
    expect(await indexer9.lookupAccountCreatedApplicationByAddress(chain.indexer, address, true)).toEqual([]);
    expect(await lookupApplications10(client10, address)).toEqual([]);
  });

  test('version 10 reads health, accounts, assets, balances and blocks', async () => {
    const { payer } = chain.node.accounts;
    expect((await client10.healthCheck()).round).toBe(5n);
    const { account } = await client10.lookupAccountById(payer.address);
    expect(account).toMatchObject({ status: 'Offline', deleted: false });
    expect((await client10.lookupAssetById(USDC)).asset.params.unitName).toBe('USDC');
    const { balances } = await client10.lookupAssetBalances(USDC, { currencyGreaterThan: 0n });
    expect(balances.map(({ address }) => address)).toContain(payer.address);
    const block = await client10.lookupBlock(3);
    expect(block.transactions?.map(({ id }) => id)).toEqual([paid[2]]);
    expect((await client10.searchForBlockHeaders({ minRound: 4 })).blocks.map(({ round }) => round)).toEqual([4n, 5n]);
    expect((await client10.lookupTransactionById(paid[0] ?? '')).transaction.id).toBe(paid[0]);
  });
});
