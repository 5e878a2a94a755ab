import { setImmediate as otherEvents } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { addressKey } from '../../src/transaction/address-key.ts';
import type { Chain } from '../../src/ledger/chain.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { Pool } from '../../src/pool/pool.ts';
import { decodeGroup } from '../../src/codec/decode-group.ts';
import { encode } from '../../src/codec/document.ts';
import { signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { groupMember, type GroupMember, idText } from '../../src/transaction/member.ts';
import {
  addressOf,
  ALICE,
  balanceOf,
  BOB,
  groupBytes,
  sign,
  signedBytes,
  testAccount,
  testChain,
  testGenesis,
  testNode,
  uniquePayment,
  unsigned,
} from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';

/** A group of payments to be put into a pool on this chain. */
function payments(chain: Chain, count: number): GroupMember[] {
  return Array.from({ length: count }, () => uniquePayment(chain.context))
    .flatMap((bytes) => decodeGroup(bytes, { maxSize: 16, cut: false }))
    .map(groupMember);
}

/** Resolves when so many submitted transactions wait for a block. */
async function pooled(node: DevelopmentNode, count: number): Promise<void> {
  await expect.poll(() => node.counters.poolTransactions).toBe(count);
}

describe('instant blocks', () => {
  const groupOf3 = (node: DevelopmentNode, name: string): Uint8Array =>
    groupBytes([1, 2, 3].map((each) => sign(ALICE, unsigned(ALICE, node, { note: Buffer.from(`${name} ${each}`) }))));

  test('are there when the submission is answered', async () => {
    const node = startedNode();
    const { txId } = await node.submissions.submit(uniquePayment(node));
    expect(node.queries.latestRound).toBe(1n);
    expect(node.queries.blockTransactionIds(1n)).toEqual([txId]);
  });

  test('are shared by what arrives in the same turn of the event loop', async () => {
    const node = startedNode();
    await Promise.all(
      [uniquePayment(node), uniquePayment(node), uniquePayment(node)].map((each) => node.submissions.submit(each)),
    );
    expect(node.queries.latestRound).toBe(1n);
    expect(node.queries.blockTransactionIds(1n)).toHaveLength(3);
  });

  test('are shared only as far as the pool has room, for each group would have one of its own in algod', async () => {
    const node = startedNode({ txPoolSize: 5 });
    const refused = uniquePayment(node, { amount: 10n ** 12n });
    const answers = await Promise.allSettled(
      [groupOf3(node, 'first'), groupOf3(node, 'second'), refused, uniquePayment(node)].map((each) =>
        node.submissions.submit(each),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect([1n, 2n].map((round) => node.queries.blockTransactionIds(round)?.length)).toEqual([3, 4]);
  });

  test('are not there for a group larger than the pool, whose neighbours are accepted all the same', async () => {
    const node = startedNode({ txPoolSize: 2 });
    const answers = await Promise.allSettled(
      [uniquePayment(node), groupOf3(node, 'large'), uniquePayment(node)].map((each) => node.submissions.submit(each)),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(node.counters.transactionsConfirmed).toBe(2);
  });

  test('are never shared when strict', async () => {
    const node = startedNode({ strict: true });
    await Promise.all([uniquePayment(node), uniquePayment(node)].map((each) => node.submissions.submit(each)));
    expect(node.queries.latestRound).toBe(2n);
  });

  test('strictly are not made for a group that is refused, though another waits', async () => {
    const node = startedNode({ strict: true });
    node.submissions.submitAsync(uniquePayment(node));
    await pooled(node, 1);
    await expect(node.submissions.submit(uniquePayment(node, { amount: 10n ** 12n }))).rejects.toThrow('overspend');
    expect(node.queries.latestRound).toBe(0n);
  });

  test('are not made for a group that is refused', async () => {
    const node = startedNode();
    await expect(node.submissions.submit(uniquePayment(node, { amount: 10n ** 12n }))).rejects.toThrow('overspend');
    expect(node.queries.latestRound).toBe(0n);
    expect(node.counters).toMatchObject({ groupsAccepted: 0, groupsRefused: 1 });
  });

  test('come one for each asynchronous group', async () => {
    const node = startedNode();
    const txIds: string[] = [];
    for (let count = 0; count < 3; count++) {
      const payment = uniquePayment(node);
      node.submissions.submitAsync(payment);
      const [member] = decodeGroup(payment, { maxSize: 16, cut: false }).map(groupMember);
      txIds.push(idText(member?.txId ?? new Uint8Array()));
    }
    await node.blocks.waitForRound(3n, { timeoutMs: 5000 });
    expect([1n, 2n, 3n].map((round) => node.queries.blockTransactionIds(round))).toEqual(txIds.map((txId) => [txId]));
  });

  test('strictly do not come for an asynchronous group, but with the next synchronous one', async () => {
    const node = startedNode({ strict: true });
    node.submissions.submitAsync(uniquePayment(node));
    await pooled(node, 1);
    expect(node.queries.latestRound).toBe(0n);
    await node.submissions.submit(uniquePayment(node));
    expect(node.queries.blockTransactionIds(1n)).toHaveLength(2);
  });
});

describe('groups go into the pool in the order in which they came', () => {
  const NEWCOMER = testAccount(20);
  const gift = (node: DevelopmentNode): Uint8Array =>
    uniquePayment(node, { receiver: addressOf(NEWCOMER), amount: 1_000_000n });
  const spending = (node: DevelopmentNode, note: string): Uint8Array =>
    signedBytes(node, { note: Buffer.from(note), amount: 100_000n }, NEWCOMER);

  test('though the later one is verified first', async () => {
    const node = startedNode();
    await node.submissions.submit(gift(node));
    await node.submissions.submit(spending(node, 'its key is known now'));
    const everything = { receiver: addressOf(NEWCOMER), amount: 1n, closeRemainderTo: addressOf(ALICE) };
    const closing = signedBytes(node, everything, NEWCOMER);
    const answers = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => node.submissions.submit(gift(node))),
      node.submissions.submit(closing),
      node.submissions.submit(spending(node, 'too late')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([...Array(21).fill('fulfilled'), 'rejected']);
    expect(balanceOf(node, NEWCOMER)).toBe(0n);
  });

  test('asynchronous and synchronous ones alike', async () => {
    const node = startedNode();
    node.submissions.submitAsync(gift(node));
    await otherEvents();
    await expect(node.submissions.submit(spending(node, 'just in time'))).resolves.toHaveProperty('txId');
  });

  test('one that is refused holds up none', async () => {
    const node = startedNode();
    const wrong = sign(BOB, unsigned(ALICE, node, { note: Buffer.from('signed by another') }));
    const answers = await Promise.allSettled([
      node.submissions.submit(encode(signedTransaction, wrong)),
      node.submissions.submit(uniquePayment(node)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(node.queries.latestRound).toBe(1n);
  });
});

describe('manual blocks', () => {
  test('hold what was submitted since the last, and later ones are empty', async () => {
    const node = startedNode({ blocks: 'manual' });
    await node.submissions.submit(uniquePayment(node));
    await node.submissions.submit(uniquePayment(node));
    expect(node.queries.latestRound).toBe(0n);
    await node.controls.mine(3);
    expect([1n, 2n, 3n].map((round) => node.queries.blockTransactionIds(round)?.length)).toEqual([2, 0, 0]);
  });

  test('refuse a number of rounds that is none', async () => {
    const node = startedNode({ blocks: 'manual' });
    await expect(node.controls.mine(0)).rejects.toThrow('whole number from 1');
    await expect(node.controls.mine(1.5)).rejects.toThrow('whole number from 1');
  });

  test('refuse the same transaction twice before it is in a block', async () => {
    const node = startedNode({ blocks: 'manual' });
    const payment = uniquePayment(node);
    await node.submissions.submit(payment);
    await expect(node.submissions.submit(payment)).rejects.toThrow('transaction already in ledger');
  });
});

test('blocks at an interval come by themselves, empty or not', async () => {
  const node = startedNode({ blocks: { everyMs: 20 } });
  const { txId } = await node.submissions.submit(uniquePayment(node));
  await node.blocks.waitForRound(node.queries.latestRound + 3n, { timeoutMs: 5000 });
  const blocks = Array.from({ length: Number(node.queries.latestRound) }, (_, index) =>
    node.queries.blockTransactionIds(BigInt(index + 1)),
  );
  expect(blocks.length).toBeGreaterThanOrEqual(3);
  expect(blocks.flat()).toEqual([txId]);
});

test('blocks at an interval do not come with a submission', async () => {
  const node = startedNode({ blocks: { everyMs: 60_000 } });
  await node.submissions.submit(uniquePayment(node));
  expect(node.queries.latestRound).toBe(0n);
});

test('an interval that is none is refused', () => {
  expect(() => testNode({ blocks: { everyMs: 0 } })).toThrow('whole number of ms from 1');
});

describe('bounds', () => {
  test('a full backlog refuses with 503, and takes again once it was worked off', async () => {
    const node = startedNode({ backlogSize: 2 });
    node.submissions.submitAsync(uniquePayment(node));
    node.submissions.submitAsync(uniquePayment(node));
    expect(() => node.submissions.submitAsync(uniquePayment(node))).toThrow(
      expect.objectContaining({ message: 'backlog full', status: 503 }),
    );
    expect(node.counters.backlogRefused).toBe(1);
    expect(node.counters.backlogGroups).toBe(2);
    await expect.poll(() => node.counters.backlogGroups).toBe(0);
    expect(node.queries.latestRound).toBe(2n);
    expect(() => node.submissions.submitAsync(uniquePayment(node))).not.toThrow();
  });

  test('an invalid group on the backlog vanishes and is counted', async () => {
    const node = startedNode();
    node.submissions.submitAsync(uniquePayment(node, { amount: 10n ** 12n }));
    await expect.poll(() => node.counters.backlogDropped).toBe(1);
    expect(node.counters.poolTransactions).toBe(0);
    expect(node.queries.latestRound).toBe(0n);
  });

  test('a full pool refuses further groups, and empties into a block', async () => {
    const node = startedNode({ blocks: 'manual', txPoolSize: 1 });
    await node.submissions.submit(uniquePayment(node));
    await expect(node.submissions.submit(uniquePayment(node))).rejects.toThrow('transaction pool has reached capacity');
    await node.controls.mine();
    await expect(node.submissions.submit(uniquePayment(node))).resolves.toHaveProperty('txId');
  });

  test('a pool with room for some members of a group refuses the whole group', () => {
    const chain = testChain();
    const pool = new Pool(chain, { maxTransactions: 3 });
    pool.add(payments(chain, 1));
    expect(() => pool.add(payments(chain, 3))).toThrow('transaction pool has reached capacity');
    pool.add(payments(chain, 2));
    expect(pool.size).toBe(3);
  });

  test('what does not fit one block waits for the next', () => {
    const chain = testChain({ maxBlockBytes: 450 });
    const pool = new Pool(chain, { maxTransactions: 100 });
    for (let count = 0; count < 5; count++) pool.add(payments(chain, 1));
    const sizes: number[] = [];
    while (pool.size > 0) {
      sizes.push(pool.makeBlock({ offset: 1n, now: 0n }).block.transactions.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
    expect(chain.state.account(addressKey(addressOf(BOB))).microAlgos).toBe(1_000_000_005n);
    expect(() => pool.add(payments(chain, 1))).not.toThrow();
  });
});

describe('whoever waits for a round', () => {
  test('goes on when it is there', async () => {
    const node = startedNode({ blocks: 'manual' });
    const waiting = node.blocks.waitForRound(1n, { timeoutMs: 5000 });
    await node.controls.mine();
    await expect(waiting).resolves.toBeUndefined();
  });

  test('goes on when the time is over, the round or not', async () => {
    const node = startedNode({ blocks: 'manual' });
    await expect(node.blocks.waitForRound(1n, { timeoutMs: 5 })).resolves.toBeUndefined();
    expect(node.queries.latestRound).toBe(0n);
  });

  test('goes on when it has gone away itself', async () => {
    const node = startedNode({ blocks: 'manual' });
    const controller = new AbortController();
    const waiting = node.blocks.waitForRound(1n, { timeoutMs: 60_000, signal: controller.signal });
    controller.abort();
    await expect(waiting).resolves.toBeUndefined();
  });

  test('is told when the node shuts down', async () => {
    const node = startedNode({ blocks: 'manual' });
    const waiting = node.blocks.waitForRound(1n, { timeoutMs: 60_000 });
    node.close();
    await expect(waiting).rejects.toMatchObject({
      status: 500,
      message: 'operation aborted as server is shutting down',
    });
  });
});

test('the time since the last block is that of the clock, and nothing before the first', async () => {
  let now = 1000;
  const node = startedNode({ now: () => now, genesis: testGenesis() });
  expect(node.blocks.sinceLastBlockMs).toBe(0);
  await node.submissions.submit(uniquePayment(node));
  now += 250;
  expect(node.blocks.sinceLastBlockMs).toBe(250);
});
