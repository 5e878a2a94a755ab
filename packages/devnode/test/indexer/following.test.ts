// The index follows the chain, wherever that goes.

import { setImmediate as otherEvents } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DevelopmentNode } from '../../src/development-node.ts';
import { indexerRoutes } from '../../src/indexer/route-table.ts';
import { searchTransactions } from '../../src/indexer/transaction-search.ts';
import { uniquePayment } from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';
import { startIndexedNode, type IndexedNode } from './chain-of-payments.ts';

describe('the index', () => {
  let chain: IndexedNode;
  beforeEach(async () => {
    chain = await startIndexedNode();
  });
  afterEach(() => chain.node.stop());

  const found = async (): Promise<(string | undefined)[]> => {
    const { transactions } = await chain.indexer.searchForTransactions().do();
    return transactions.map(({ id }) => id);
  };
  const control = async (path: string, body?: BodyInit): Promise<ArrayBuffer> => {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { 'X-Algo-API-Token': chain.node.token };
    const response = await fetch(`${chain.node.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    expect(response.status).toBe(200);
    return response.arrayBuffer();
  };

  test('knows a payment as soon as the node does', async () => {
    expect(await found()).toEqual([]);
    const first = await chain.pay(1n);
    expect(await found()).toEqual([first]);
    const second = await chain.pay(2n);
    expect(await found()).toEqual([first, second]);
  });

  test('forgets the blocks of a chain that was put back, though another has as many', async () => {
    const kept = await chain.pay(1n);
    const state = await control('/dev/dump');
    const lost = await chain.pay(2n);
    expect(await found()).toEqual([kept, lost]);
    await control('/dev/load', state);
    expect(await found()).toEqual([kept]);
    const other = await chain.pay(3n);
    expect(await found()).toEqual([kept, other]);
    await expect(chain.indexer.lookupTransactionByID(lost).do()).rejects.toMatchObject({ status: 404 });
    const { address } = chain.node.accounts.payer;
    const { transactions } = await chain.indexer.lookupAccountTransactions(address).do();
    expect(transactions.map(({ id }) => id)).toEqual([other, kept]);
  });

  test('goes back with the chain to a snapshot, and to the start', async () => {
    const kept = await chain.pay(1n);
    const snapshot = await chain.node.snapshot();
    await chain.pay(2n);
    expect(await found()).toHaveLength(2);
    await chain.node.revert(snapshot);
    expect(await found()).toEqual([kept]);
    await chain.node.reset();
    expect(await found()).toEqual([]);
    const other = await chain.pay(3n);
    expect(await found()).toEqual([other]);
  });

  test('catches up with thousands of blocks while the node goes on, asked by several at once', async () => {
    const ids = [await chain.pay(1n)];
    await chain.node.mine(2500);
    ids.push(await chain.pay(2n));
    const [one, other] = await Promise.all([found(), found(), chain.node.mine(10)]);
    expect([one, other]).toEqual([ids, ids]);
  });
});

test('other events have their turn while thousands of headers are looked at', async () => {
  const node = new DevelopmentNode();
  await node.controls.mine(3000);
  const route = indexerRoutes(node).find(({ path }) => path === '/v2/block-headers');
  const request = { body: () => Promise.reject(new Error('there is none')), signal: new AbortController().signal };
  const answers: unknown[] = [];
  void Promise.resolve(route?.handle({ 'before-time': 0 }, request)).then((answer) => answers.push(answer));
  let turns = 0;
  for (; answers.length === 0; turns++) await otherEvents();
  expect(turns).toBeGreaterThan(3);
  node.close();
});

test.each<[string, string, object]>([
  ['whole', '/v2/blocks/:round-number', { 'round-number': 1n }],
  ['as a page', '/v2/transactions', { round: 1n }],
])('a block is printed %s without being looked through for each of its transactions', async (_, path, asked) => {
  const node = startedNode({ blocks: 'manual' });
  await Promise.all(Array.from({ length: 30 }, () => node.submissions.submit(uniquePayment(node))));
  await node.controls.mine();
  const looks = vi.spyOn(node.openIndex().chain.blocks, 'txIds');
  onTestFinished(() => looks.mockRestore());
  const route = indexerRoutes(node).find((each) => each.path === path);
  const request = { body: () => Promise.reject(new Error('there is none')), signal: new AbortController().signal };
  expect(await route?.handle({ ...asked }, request)).toMatchObject({
    json: { transactions: Array.from({ length: 30 }, (_each, offset) => ({ 'intra-round-offset': offset })) },
  });
  // The index looks at each block once, as the page of the block does.
  expect(looks.mock.calls.length).toBeLessThan(5);
});

describe('a search while the chain is put back', () => {
  const gone = { status: 503, message: expect.stringContaining('try again') as unknown };
  const putBack = async (node: DevelopmentNode): Promise<void> => {
    node.controls.revert(1);
    await node.controls.mine(3000);
  };

  test('for transactions is refused, so that no page is of two chains', async () => {
    const node = startedNode();
    node.controls.takeSnapshot();
    await node.submissions.submit(uniquePayment(node));
    const index = node.openIndex();
    await index.follow();
    const search = searchTransactions(index, {
      filter: () => false,
      positions: { length: 5000, at: () => 0 },
      minRound: undefined,
      maxRound: undefined,
      newestFirst: false,
      limit: 1,
      after: undefined,
    });
    search.catch(() => {});
    await putBack(node);
    await expect(search).rejects.toMatchObject(gone);
  });

  test('for headers is refused, too', async () => {
    const node = startedNode();
    node.controls.takeSnapshot();
    await node.submissions.submit(uniquePayment(node));
    await node.controls.mine(3000);
    const route = indexerRoutes(node).find(({ path }) => path === '/v2/block-headers');
    const request = { body: () => Promise.reject(new Error('there is none')), signal: new AbortController().signal };
    const search = Promise.resolve(route?.handle({ 'before-time': 0 }, request));
    search.catch(() => {});
    // The first turn is given after the block of the genesis, which all chains share.
    await otherEvents();
    await putBack(node);
    await expect(search).rejects.toMatchObject(gone);
  });
});
