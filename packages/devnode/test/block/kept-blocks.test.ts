// How many blocks a node keeps, and what it can do without the others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import algosdk from 'algosdk';
import { afterEach, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';
import { startIndexedNode } from '../indexer/chain-of-payments.ts';
import { post, signedPayment } from '../rest/signed-payments.ts';

/** Rounds before the latest that are kept at the least: as many as a transaction may live, and one. */
const FEWEST = 1001;
const USDC = 10_458_941n;
const FEW = { MaxBlockHistoryLookback: 0 };

const running: Devnode[] = [];
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
});

async function started(options: DevnodeOptions): Promise<Devnode> {
  const node = await startDevnode({ port: 0, ...options });
  running.push(node);
  return node;
}

async function get(node: Devnode, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${node.url}${path}`, { headers: { 'X-Algo-API-Token': node.token } });
  return { status: answer.status, text: await answer.text() };
}

async function pay(node: Devnode): Promise<void> {
  const payment = signedPayment(node, { firstValid: node.latestRound + 1n });
  expect((await post(node, '/v2/transactions', payment)).status).toBe(200);
}

const statusOf = async (node: Devnode, round: number): Promise<number> =>
  (await get(node, `/v2/blocks/${round}`)).status;

describe('a node', () => {
  test('keeps as many blocks as it is told, and answers of older ones as of those to come', async () => {
    const node = await started({ config: { MaxBlockHistoryLookback: 1500 } });
    await node.mine(4000);
    const kept = await Promise.all([2500, 4000].map((round) => statusOf(node, round)));
    expect(kept).toEqual([200, 200]);
    for (const route of ['', '?header-only=true', '/txids', '/hash', '/logs']) {
      const toCome = await get(node, `/v2/blocks/4001${route}`);
      expect(toCome.status).toBe(404);
      expect(await get(node, `/v2/blocks/2499${route}`), route).toEqual(toCome);
      expect(await get(node, `/v2/blocks/0${route}`), route).toEqual(toCome);
    }
  });

  test('keeps the blocks of transactions that may still be asked for, whatever it is told', async () => {
    const node = await started({ config: FEW });
    const { txId } = (await (await post(node, '/v2/transactions', signedPayment(node))).json()) as { txId: string };
    await node.mine(1000);
    expect(await get(node, `/v2/transactions/pending/${txId}`)).toMatchObject({ status: 200 });
    await node.mine(1000);
    const found = await Promise.all([2001 - FEWEST, 2000 - FEWEST].map((round) => statusOf(node, round)));
    expect(found).toEqual([200, 404]);
  });

  test('keeps all as an archival one, and a hundred thousand if nobody says anything', async () => {
    const node = await started({ config: { ...FEW, Archival: true } });
    await node.mine(3000);
    expect(await statusOf(node, 0)).toBe(200);
    const config = await get(await started({}), '/debug/settings/config');
    expect(JSON.parse(config.text)).toMatchObject({ Archival: false, MaxBlockHistoryLookback: 100_000 });
  });

  test('has them again when it returns to where they were the last', async () => {
    const node = await started({ config: FEW });
    await node.mine(10);
    const snapshot = await node.snapshot();
    const block = await get(node, '/v2/blocks/5');
    await node.mine(2500);
    expect(await statusOf(node, 5)).toBe(404);
    await node.revert(snapshot);
    expect(await get(node, '/v2/blocks/5')).toEqual(block);
    expect(await statusOf(node, 11)).toBe(404);
    await node.mine(2500);
    expect([await statusOf(node, 5), await statusOf(node, 2510)]).toEqual([404, 200]);
    await node.reset();
    expect([await statusOf(node, 0), await statusOf(node, 1)]).toEqual([200, 404]);
  });
});

describe('the state file of a node whose first blocks are gone', () => {
  test('holds the others, on which a node goes on', async () => {
    const node = await started({ config: FEW });
    await node.mine(2000);
    await pay(node);
    const twin = await started({ config: { Archival: true }, state: await node.dump() });
    expect(twin.latestRound).toBe(2001n);
    for (const round of [2001, 1500, 1000]) {
      expect(await get(twin, `/v2/blocks/${round}`)).toEqual(await get(node, `/v2/blocks/${round}`));
    }
    expect([await statusOf(twin, 999), await statusOf(twin, 0)]).toEqual([404, 404]);
    const { address } = node.accounts.payer;
    expect(twin.balance(address)).toEqual(node.balance(address));
    await pay(twin);
    expect([await statusOf(twin, 2002), twin.latestRound]).toEqual([200, 2002n]);
    await node.load(await twin.dump());
    expect([node.latestRound, await statusOf(node, 1001), await statusOf(node, 1000)]).toEqual([2002n, 200, 404]);
  });
});

describe('a data directory', () => {
  test('has all blocks for an archival node, until the log is written anew', async () => {
    const data = mkdtempSync(join(tmpdir(), 'devnode-blocks-'));
    const restarted = async (config: DevnodeOptions['config'] = {}): Promise<Devnode> => {
      await running.pop()?.stop();
      return started({ data, config });
    };
    try {
      const first = await restarted(FEW);
      for (const rounds of [10_000, 2500]) await first.mine(rounds);
      // The snapshot is of block 10,000, which is not in memory any more when the log has been read.
      const bounded = await restarted(FEW);
      expect([bounded.latestRound, await statusOf(bounded, 10_000)]).toEqual([12_500n, 404]);
      const archival = await restarted({ Archival: true });
      expect(await Promise.all([1, 10_000].map((round) => statusOf(archival, round)))).toEqual([200, 200]);
      const rewriting = await restarted(FEW);
      await rewriting.revert(await rewriting.snapshot());
      const later = await restarted({ Archival: true });
      expect(await Promise.all([11_498, 11_499].map((round) => statusOf(later, round)))).toEqual([404, 200]);
    } finally {
      await running.pop()?.stop();
      rmSync(data, { recursive: true });
    }
  });
});

describe('an indexer of a node whose first blocks are gone', () => {
  test('knows the rest, and says what it lacks', async () => {
    const chain = await startIndexedNode({ config: FEW });
    const { node, indexer } = chain;
    running.push(node);
    const gone = [await chain.pay(1n), await chain.pay(2n)];
    expect((await indexer.searchForTransactions().do()).transactions.map(({ id }) => id)).toEqual(gone);
    await node.mine(2000);
    const kept = await chain.pay(3n);
    const { transactions, nextToken } = await indexer.searchForTransactions().do();
    expect(transactions.map(({ id }) => id)).toEqual([kept]);
    const { address } = node.accounts.merchant;
    expect((await indexer.lookupAccountTransactions(address).do()).transactions.map(({ id }) => id)).toEqual([kept]);
    const why = 'blocks before round 1002 are not kept; with --archive all are';
    const unknown = { message: expect.stringContaining(why) as string };
    await expect(indexer.lookupTransactionByID(gone[0] ?? '').do()).rejects.toMatchObject({ ...unknown, status: 404 });
    await expect(indexer.lookupBlock(1).do()).rejects.toMatchObject({ ...unknown, status: 404 });
    for (const search of [indexer.searchForTransactions(), indexer.searchForBlockHeaders()]) {
      await expect(search.minRound(1001).do()).rejects.toMatchObject({ ...unknown, status: 400 });
      await expect(search.minRound(1002).maxRound(1001).do()).rejects.toMatchObject({ status: 400 });
    }
    const { blocks } = await indexer.searchForBlockHeaders().limit(1).do();
    expect(blocks.map(({ round }) => round)).toEqual([1002n]);
    await node.mine(1500);
    const nextPage = indexer.searchForTransactions().nextToken(nextToken ?? '');
    await expect(nextPage.do()).rejects.toMatchObject({ status: 400 });
    const nextLogs = indexer.lookupApplicationLogs(1).nextToken('1.0');
    await expect(nextLogs.do()).rejects.toMatchObject({ status: 400 });
  });

  test('does not say when an account or an asset began that may have begun before', async () => {
    const chain = await startIndexedNode({ config: FEW });
    running.push(chain.node);
    const young = algosdk.generateAccount().addr;
    const payYoung = async (): Promise<string> => {
      const suggestedParams = await chain.params();
      const payment = { sender: chain.payer.addr, receiver: young, amount: 200_000n, suggestedParams };
      return chain.send(algosdk.makePaymentTxnWithSuggestedParamsFromObject(payment), chain.payer);
    };
    const createdAt = async (): Promise<unknown[]> => {
      const [account, genesisAccount, asset] = await Promise.all([
        chain.indexer.lookupAccountByID(young.toString()).do(),
        chain.indexer.lookupAccountByID(chain.node.accounts.payer.address).do(),
        chain.indexer.lookupAssetByID(USDC).do(),
      ]);
      return [account.account, genesisAccount.account, asset.asset].map(({ createdAtRound }) => createdAtRound);
    };
    await payYoung();
    expect(await createdAt()).toEqual([1n, 0n, 0n]);
    await chain.node.mine(2000);
    await payYoung();
    expect(await createdAt()).toEqual([undefined, 0n, undefined]);
  });
});
