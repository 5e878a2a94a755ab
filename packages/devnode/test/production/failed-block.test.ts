import { describe, expect, test } from 'vitest';
import type { DevelopmentNode } from '../../src/development-node.ts';
import type { BlockProduction } from '../../src/production/block-producer.ts';
import { uniquePayment } from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';

/** A node whose clock can break, and with it every attempt to make a block. */
function nodeWithClock(blocks: BlockProduction) {
  const clock = { isBroken: true, failures: 0 };
  const now = (): number => {
    if (!clock.isBroken) return Date.now();
    clock.failures++;
    throw new Error('the clock stands still');
  };
  const told: unknown[] = [];
  const node = startedNode({ blocks, now, onInternalError: (error) => told.push(error) });
  return { node, clock, told };
}

describe('when no block can be made', () => {
  test('whoever waits for one is told, and the group goes into the next', async () => {
    const { node, clock } = nodeWithClock('instant');
    await expect(node.submissions.submit(uniquePayment(node))).rejects.toThrow('the clock stands still');
    expect(node.counters.poolTransactions).toBe(1);
    clock.isBroken = false;
    await node.submissions.submit(uniquePayment(node));
    expect(node.queries.latestRound).toBe(1n);
    expect(node.queries.blockTransactionIds(1n)).toHaveLength(2);
    expect(node.counters.poolTransactions).toBe(0);
  });

  test('an asynchronous group goes into the next, too', async () => {
    const { node, clock, told } = nodeWithClock('instant');
    node.submissions.submitAsync(uniquePayment(node));
    await expect.poll(() => told.length).toBe(1);
    clock.isBroken = false;
    node.submissions.submitAsync(uniquePayment(node));
    await node.blocks.waitForRound(1n, { timeoutMs: 5000 });
    expect(node.queries.blockTransactionIds(1n)).toHaveLength(2);
  });

  test('blocks at an interval come again once they can', async () => {
    const { node, clock, told } = nodeWithClock({ everyMs: 5 });
    await expect.poll(() => clock.failures).toBeGreaterThan(1);
    expect(node.queries.latestRound).toBe(0n);
    expect(told[0]).toMatchObject({ message: 'the clock stands still' });
    clock.isBroken = false;
    await node.blocks.waitForRound(2n, { timeoutMs: 5000 });
    expect(node.queries.latestRound).toBeGreaterThanOrEqual(2n);
  });
});

test('with the largest offset that can be set, blocks go on and so does the node', async () => {
  const node = startedNode();
  node.clock.offset = 2n ** 63n - 1n;
  for (let count = 0; count < 3; count++) await node.submissions.submit(uniquePayment(node));
  node.submissions.submitAsync(uniquePayment(node));
  await node.blocks.waitForRound(4n, { timeoutMs: 5000 });
  const stamps = [1n, 2n, 3n, 4n].map((round) => timestampOf(node, round));
  expect(stamps).toEqual([1n, 2n, 3n, 4n].map((round) => BigInt.asIntN(64, GENESIS_TIME + round * (2n ** 63n - 1n))));
  expect(node.queries.stateDelta(4n).toJson()).toContain(`"PrevTimestamp": ${stamps[2]}`);
  node.clock.offset = 0n;
  await node.submissions.submit(uniquePayment(node));
  expect(node.queries.latestRound).toBe(5n);
});

const GENESIS_TIME = 1_700_000_000n;

function timestampOf(node: DevelopmentNode, round: bigint): bigint {
  const json = node.queries.block(round, { headerOnly: true })?.toJson() ?? '';
  return BigInt(/"ts": (-?[0-9]+)/.exec(json)?.[1] ?? 0);
}
