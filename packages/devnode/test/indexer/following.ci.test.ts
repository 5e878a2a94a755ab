import { expect, test } from 'vitest';
import { post, signedPayment } from '../rest/signed-payments.ts';
import { startIndexedNode } from './chain-of-payments.ts';

test('the index finds one among thousands of transactions', async () => {
  const chain = await startIndexedNode();
  const send = (): Promise<Response> => post(chain.node, '/v2/transactions', signedPayment(chain.node));
  for (let sent = 0; sent < 1500; sent += 50) await Promise.all(Array.from({ length: 50 }, send));
  const id = await chain.pay(1n, { note: 'the one that is wanted' });
  const search = chain.indexer.searchForTransactions().notePrefix(new TextEncoder().encode('the one'));
  expect((await search.do()).transactions.map((transaction) => transaction.id)).toEqual([id]);
  expect((await chain.indexer.searchForTransactions().do()).transactions).toHaveLength(1000);
  const { transactions } = await chain.indexer.searchForTransactions().limit(5000).do();
  expect(transactions).toHaveLength(1501);
  await chain.node.stop();
});
