import { decodeBase32 } from '@avm402/algorand/base32';
import { describe, expect, test } from 'vitest';
import { localControls } from '../../src/dev/control-table.ts';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { assetParams } from '../../src/codec/schema/transaction.ts';
import { fund } from '../../src/dev/change-account.ts';
import type { AppendedBlock, Chain } from '../../src/ledger/chain.ts';
import { Pool } from '../../src/pool/pool.ts';
import { BlockProducer } from '../../src/production/block-producer.ts';
import { DevClock } from '../../src/production/dev-clock.ts';
import { addressKey } from '../../src/transaction/address-key.ts';
import { groupMember, type GroupMember } from '../../src/transaction/member.ts';
import { addressOf, ALICE, balanceOf, BOB, CAROL, testAccount, testChain, uniquePayment } from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';

/** A group of payments to be put into a pool on this chain. */
function payments(chain: Chain, count: number): GroupMember[] {
  return Array.from({ length: count }, () => uniquePayment(chain.context))
    .flatMap((bytes) => decodeGroup(bytes, { maxSize: 16, cut: false }))
    .map(groupMember);
}

/** A pool on a chain, and manual blocks of what is in it. */
function production(chain: Chain): { pool: Pool; blocks: BlockProducer } {
  const pool = new Pool(chain, { maxTransactions: 100 });
  const clock = new DevClock({ now: Date.now, devMode: true });
  const onInternalError = (error: unknown): never => {
    throw error;
  };
  return { pool, blocks: new BlockProducer({ chain, pool, mode: 'manual', clock, now: Date.now, onInternalError }) };
}

describe('gifts', () => {
  test('of µAlgo come out of nothing, in a block of their own', async () => {
    const node = startedNode();
    const before = node.queries.supply().totalMoney;
    await localControls(node).fund(testAccount(9).address, 5_000_000n);
    expect(balanceOf(node, testAccount(9))).toBe(5_000_000n);
    expect(node.queries.supply().totalMoney).toBe(before + 5_000_000n);
    expect(node.queries.latestRound).toBe(1n);
    expect(node.queries.blockTransactionIds(1n)).toEqual([]);
  });

  test('of an asset opt in and lift the balance to the new minimum', async () => {
    const node = startedNode();
    const created = { type: 'acfg', assetParams: assetParams.of({ total: 10n }) };
    await node.submissions.submit(uniquePayment(node, created));
    await localControls(node).deal(testAccount(9).address, 1001n, 4n);
    const { account, holdings, minBalance } = node.queries.account(addressOf(testAccount(9)));
    expect(holdings).toEqual([[1001n, { amount: 4n, frozen: false }]]);
    expect(account.microAlgos).toBe(minBalance);
  });

  test('leave in the pool what waits there, and what can no longer be is told why', async () => {
    const node = startedNode({ blocks: 'manual' });
    await node.submissions.submit(uniquePayment(node));
    const { txId } = await node.submissions.submit(uniquePayment(node, { lastValid: 1n }));
    await localControls(node).fund(ALICE.address, 1_000_000n);
    expect(node.queries.latestRound).toBe(1n);
    expect(node.counters.poolTransactions).toBe(1);
    const id = decodeBase32(txId) ?? new Uint8Array();
    expect(node.queries.pendingTransaction(id)?.toJson()).toContain(
      '"pool-error": "txn dead: round 2 outside of 0--1"',
    );
    await node.controls.mine();
    expect(node.queries.blockTransactionIds(2n)).toHaveLength(1);
    expect(balanceOf(node, ALICE)).toBe(1_001_000_000n - 1001n);
  });

  test('count, though what waits fills more than one block', () => {
    const chain = testChain({ maxBlockBytes: 450 });
    const { pool, blocks } = production(chain);
    for (let count = 0; count < 5; count++) pool.add(payments(chain, 1));
    blocks.makeBlockWith((state) => fund(state, addressOf(ALICE), 1_000_000n));
    while (pool.size > 0) blocks.makeBlock();
    expect(chain.state.account(addressKey(addressOf(ALICE))).microAlgos).toBe(1_001_000_000n - 5n * 1001n);
  });

  test('that are refused leave the pool as it was', async () => {
    const node = startedNode({ blocks: 'manual' });
    await node.submissions.submit(uniquePayment(node));
    await expect(localControls(node).fund(ALICE.address, 0n)).rejects.toThrow('whole number from 1');
    await expect(localControls(node).fund(ALICE.address, 2n ** 64n - 1n)).rejects.toThrow('would hold more than');
    await expect(localControls(node).deal(CAROL.address, 5n, 1n)).rejects.toThrow('asset 5 does not exist');
    expect(node.counters.poolTransactions).toBe(1);
    expect(node.queries.latestRound).toBe(0n);
    await node.controls.mine();
    expect(balanceOf(node, BOB)).toBe(1_000_000_001n);
  });
});

describe('the stream of blocks', () => {
  test('tells of each in order, with what it changed, which stays what it was', () => {
    const chain = testChain();
    const { pool, blocks } = production(chain);
    const told: AppendedBlock[] = [];
    blocks.onBlock((appended) => told.push(appended));
    pool.add(payments(chain, 1));
    blocks.makeBlock();
    blocks.makeBlockWith((state) => fund(state, addressOf(BOB), 5n));
    pool.add(payments(chain, 1));
    blocks.makeBlock();
    expect(told.map(({ round }) => round)).toEqual([1n, 2n, 3n]);
    expect(told.map(({ block }) => block.transactions.length)).toEqual([1, 0, 1]);
    expect(told.map(({ block }) => block.header.round)).toEqual([1n, 2n, 3n]);
    const balances = told.map(({ delta }) => delta.changed.account(addressKey(addressOf(BOB))).microAlgos);
    expect(balances).toEqual([1n, 6n, 7n].map((given) => 1_000_000_000n + given));
  });
});
