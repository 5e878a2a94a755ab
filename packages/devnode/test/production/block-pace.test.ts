import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import type { DevelopmentNode } from '../../src/development-node.ts';
import { BlockPace } from '../../src/production/block-pace.ts';
import { groupMember } from '../../src/transaction/member.ts';
import { ALICE, testChain, uniquePayment, unsigned } from '../chain-fixture.ts';
import { startedNode } from '../started-node.ts';

/** Sends a burst as stock clients do: all made with the same parameters, for ten rounds, and one after another ready. */
async function burst(node: DevelopmentNode, count: number): Promise<number> {
  const lastValid = node.queries.latestRound + 10n;
  const firstValid = node.queries.latestRound;
  const payments = Array.from({ length: count }, () => uniquePayment(node, { firstValid, lastValid }));
  const outcomes: Promise<boolean>[] = [];
  for (const payment of payments) {
    outcomes.push(
      node.submissions.submit(payment).then(
        () => true,
        () => false,
      ),
    );
    await setTimeout(10);
  }
  const accepted = await Promise.all(outcomes);
  return accepted.filter(Boolean).length;
}

describe('instant blocks', () => {
  test('are shared by payments that are running out of rounds, so that a burst of 24 settles', async () => {
    const node = startedNode();
    expect(await burst(node, 24)).toBe(24);
    expect(node.queries.latestRound).toBeLessThanOrEqual(10n);
  });

  test('are not shared strictly, so that most of such a burst dies as with algod’s dev mode', async () => {
    expect(await burst(startedNode({ strict: true }), 24)).toBe(10);
  });

  test('hold asynchronous submissions of a burst, too', async () => {
    const node = startedNode();
    const payments = Array.from({ length: 24 }, () => uniquePayment(node, { lastValid: 10n }));
    for (const payment of payments) {
      node.submissions.submitAsync(payment);
      await setTimeout(10);
    }
    while (node.counters.transactionsConfirmed + node.counters.backlogDropped < 24) await setTimeout(10);
    expect(node.counters.transactionsConfirmed).toBe(24);
  });

  test('hold what waited for one as a snapshot was taken, once the chain returns to it', async () => {
    const node = startedNode();
    while (node.counters.poolTransactions === 0) {
      node.submissions.submitAsync(uniquePayment(node, { firstValid: 0n, lastValid: 10n }));
      await setTimeout(10);
    }
    const { controls } = node;
    const { id, round } = controls.takeSnapshot();
    while (node.counters.poolTransactions > 0) await setTimeout(10);
    controls.revert(id);
    expect([node.queries.latestRound, node.counters.poolTransactions]).toEqual([round + 1n, 0]);
  });

  test('for which submissions wait as the node stops are not a fault of the node', async () => {
    const told: unknown[] = [];
    const node = startedNode({ onInternalError: (error) => told.push(error) });
    for (let count = 0; count < 6; count++) {
      node.submissions.submitAsync(uniquePayment(node, { lastValid: 10n }));
      await setTimeout(10);
    }
    node.close();
    expect(node.counters.transactionsConfirmed).toBeLessThan(6);
    expect(told).toEqual([]);
  });

  test('come at once for one payment after another, each with a block of its own', async () => {
    const node = startedNode();
    const began = performance.now();
    for (let count = 0; count < 40; count++) {
      const firstValid = node.queries.latestRound;
      await node.submissions.submit(uniquePayment(node, { firstValid, lastValid: firstValid + 10n }));
    }
    expect(node.queries.latestRound).toBe(40n);
    // With the pace of a burst they would take eleven seconds.
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('come at once again after a reset', async () => {
    const node = startedNode();
    await burst(node, 24);
    node.controls.reset();
    const began = performance.now();
    for (let count = 0; count < 6; count++) await node.submissions.submit(uniquePayment(node));
    // At the pace of the burst they would take more than 1.7 seconds.
    expect(performance.now() - began).toBeLessThan(1200);
  });

  test('come at once for long windows, however old their parameters are', async () => {
    const node = startedNode();
    const began = performance.now();
    for (let count = 0; count < 40; count++) await node.submissions.submit(uniquePayment(node));
    expect(node.queries.latestRound).toBe(40n);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('come at once for payments of hundreds of rounds that are sent in their last one', async () => {
    const node = startedNode();
    await node.controls.mine(499);
    const began = performance.now();
    for (let count = 0; count < 2; count++) {
      const lastValid = node.queries.latestRound + 1n;
      await node.submissions.submit(uniquePayment(node, { firstValid: 1n, lastValid }));
    }
    // With the pace of a burst the second one would take two seconds.
    expect(performance.now() - began).toBeLessThan(1500);
  });

  test.each([
    [9n, 'with a round left, which a pause may save', 1],
    [10n, 'whose rounds are over, which no pause would save', 2],
  ])('after a payment at round %i, %s: of two there are %i at once', (latest, _, atOnce) => {
    let made = 0;
    const pace = new BlockPace({ now: () => 1000, makeBlocks: () => void made++ });
    onTestFinished(() => pace.close());
    const transaction = unsigned(ALICE, testChain().context, { firstValid: 0n, lastValid: 10n });
    pace.ask(() => {});
    pace.noteArrival([groupMember(signedTransaction.of({ transaction }))], latest);
    pace.ask(() => {});
    expect(made).toBe(atOnce);
  });

  test('come at once again when the clock is set back, not only when it has caught up', () => {
    const [clock, made] = [{ now: 3_600_000 }, { blocks: 0 }];
    const pace = new BlockPace({ now: () => clock.now, makeBlocks: () => void made.blocks++ });
    onTestFinished(() => pace.close());
    const transaction = unsigned(ALICE, testChain().context, { firstValid: 0n, lastValid: 10n });
    pace.noteArrival([groupMember(signedTransaction.of({ transaction }))], 9n);
    pace.ask(() => {});
    clock.now = 0;
    pace.ask(() => {});
    expect(made.blocks).toBe(2);
  });

  test('are refused to whoever asks once the node has closed, also where a pause was running', () => {
    const pace = new BlockPace({ now: () => 1000, makeBlocks: () => {} });
    const transaction = unsigned(ALICE, testChain().context, { firstValid: 0n, lastValid: 10n });
    pace.ask(() => {});
    pace.noteArrival([groupMember(signedTransaction.of({ transaction }))], 9n);
    pace.ask(() => {});
    pace.close();
    const told: unknown[] = [];
    pace.ask((error) => void told.push(error));
    expect(told).toEqual([expect.objectContaining({ code: 'shutting_down' })]);
  });

  test('that are waited for when the node closes are refused', async () => {
    const node = startedNode();
    for (let count = 0; count < 4; count++) await node.controls.mine();
    await node.submissions.submit(uniquePayment(node, { lastValid: 10n }));
    const waiting = node.submissions.submit(uniquePayment(node, { lastValid: 10n }));
    await setTimeout(50);
    node.close();
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
