import { setImmediate as otherEvents } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { encode } from '../../src/codec/document.ts';
import { transactionInBlock } from '../../src/codec/schema/signed-transaction.ts';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import type { Transaction } from '../../src/codec/schema/transaction.ts';
import { addressKey } from '../../src/transaction/address-key.ts';
import type { Chain } from '../../src/ledger/chain.ts';
import { Pool } from '../../src/pool/pool.ts';
import { groupMember, type GroupMember } from '../../src/transaction/member.ts';
import { addressOf, ALICE, BOB, sign, testChain, uniquePayment, unsigned } from '../chain-fixture.ts';
import { settledHeapBytes } from '../rest/heap.ts';

test('a block of exactly the largest size is made, and with a byte less what it holds takes two', () => {
  const sizesWith = (maxBlockBytes: number): number[] => {
    const chain = testChain({ maxBlockBytes });
    const pool = new Pool(chain, { maxTransactions: 100 });
    for (const amount of [1n, 2n]) pool.add([groupMember(sign(ALICE, unsigned(ALICE, chain.context, { amount })))]);
    const sizes: number[] = [];
    for (let round = 1n; pool.size > 0; round++) {
      pool.makeBlock({ offset: 1n, now: 0n });
      const transactions = chain.blocks.block(round)?.transactions ?? [];
      sizes.push(transactions.reduce((sum, each) => sum + encode(transactionInBlock, each).length, 0));
    }
    return sizes;
  };
  const [both = 0] = sizesWith(10_000);
  expect(sizesWith(both)).toEqual([both]);
  expect(sizesWith(both - 1)).toEqual([both / 2, both / 2]);
});

test('what is in a block is no longer in the pool, not among what fell out of it either', () => {
  const chain = testChain();
  const pool = new Pool(chain, { maxTransactions: 100 });
  const members = [1n, 2n].map((amount) => groupMember(sign(ALICE, unsigned(ALICE, chain.context, { amount }))));
  for (const member of members) pool.add([member]);
  pool.makeBlock({ offset: 1n, now: 0n });
  pool.rebuild();
  expect(members.map(({ txId }) => pool.find(txId))).toEqual([undefined, undefined]);
});

describe('blocks that never hold all that waits', () => {
  const clock = { offset: 1n, now: 0n };
  const payment = (chain: Chain, fields: Partial<Transaction> = {}): GroupMember[] =>
    decodeGroup(uniquePayment(chain.context, fields), { maxSize: 16, cut: false }).map(groupMember);

  /** A pool of which three blocks' worth wait. */
  function overflowing(): { chain: Chain; pool: Pool } {
    const chain = testChain({ maxBlockBytes: 450 });
    const pool = new Pool(chain, { maxTransactions: 100 });
    for (let count = 0; count < 6; count++) pool.add(payment(chain));
    return { chain, pool };
  }

  test('are forgotten in time, however many have followed one another', async () => {
    const { chain, pool } = overflowing();
    const states: WeakRef<object>[] = [];
    for (let count = 0; count < 50; count++) {
      states.push(new WeakRef(pool.makeBlock(clock).delta.changed));
      for (let added = 0; added < 2; added++) pool.add(payment(chain));
    }
    // What was looked at in this turn of the event loop is collected in a later one.
    await otherEvents();
    settledHeapBytes();
    expect(pool.size).toBe(6);
    expect(states.filter((state) => state.deref() !== undefined).length).toBeLessThan(10);
  });

  test('refuse what one of them has confirmed', () => {
    const { pool } = overflowing();
    const first = [...pool.members].slice(0, 1);
    pool.makeBlock(clock);
    expect(pool.size).toBe(4);
    expect(() => pool.add(first)).toThrow('transaction already in ledger');
  });

  test('refuse a lease that one of them has confirmed', () => {
    const { chain, pool } = overflowing();
    const lease = new Uint8Array(32).fill(1);
    const holder = payment(chain, { lease });
    pool.add(holder);
    while (pool.find(holder[0]?.txId ?? lease) !== undefined) {
      pool.makeBlock(clock);
      for (let added = 0; added < 2; added++) pool.add(payment(chain));
    }
    expect(pool.size).toBeGreaterThan(2);
    expect(() => pool.add(payment(chain, { lease }))).toThrow('using an overlapping lease');
  });

  test('leave every account what the blocks gave and took, in the end', () => {
    const { chain, pool } = overflowing();
    for (let count = 0; count < 10; count++) {
      pool.makeBlock(clock);
      pool.add(payment(chain));
    }
    while (pool.size > 0) pool.makeBlock(clock);
    expect(chain.state.account(addressKey(addressOf(BOB))).microAlgos).toBe(1_000_000_016n);
    expect(chain.state.account(addressKey(addressOf(ALICE))).microAlgos).toBe(1_000_000_000n - 16n * 1001n);
  });
});
