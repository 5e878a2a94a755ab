import { describe, expect, it } from 'vitest';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { Budget } from '../../src/settlement/settlement-store.ts';
import { Shortfalls } from '../../src/sponsor/shortfalls.ts';

/** A store that takes a second to say what is left of a budget. */
function slowStore(left: bigint) {
  const clock = { now: 0, left, asked: 0 };
  const budgetLeft = async (): Promise<bigint> => {
    clock.asked++;
    clock.now += 1_000;
    return clock.left;
  };
  const shortfalls = new Shortfalls({ budgetLeft }, () => clock.now);
  const ask = (budget: Partial<Budget> = {}, upTo = 2_000n): Promise<bigint> =>
    shortfalls.left(ALGORAND_TESTNET, { scope: {}, microAlgos: 10_000n, since: 0, ...budget }, upTo);
  return { clock, ask };
}

describe('a budget that is used up', () => {
  it('is summed for a tenth of the time at most, however many ask, and has room as soon as it is summed again', async () => {
    const { clock, ask } = slowStore(1_999n);
    for (let asker = 0; asker < 100; asker++) expect(await ask()).toBe(1_999n);
    expect(clock.asked).toBe(1);
    clock.now += 8_999;
    await ask();
    expect(clock.asked).toBe(1);
    clock.now += 1;
    clock.left = 2_000n;
    expect([await ask(), clock.asked]).toEqual([2_000n, 2]);
  });

  it('keeps nobody from another budget, nor from what there is still room for', async () => {
    const { clock, ask } = slowStore(1_999n);
    await ask();
    await ask({ scope: { payer: 'P' } });
    await ask({ microAlgos: 20_000n });
    await ask({}, 1_000n);
    expect(clock.asked).toBe(4);
  });
});

it('a budget with room for one more fee is asked about each time: nothing is verified that can’t be settled', async () => {
  const { clock, ask } = slowStore(9_999n);
  expect(await ask({}, 10_000n)).toBe(9_999n);
  clock.left = 1_999n;
  expect([await ask({}, 10_000n), clock.asked]).toEqual([1_999n, 2]);
});

it('a budget that has room is asked about each time', async () => {
  const { clock, ask } = slowStore(2_000n);
  for (let asker = 0; asker < 3; asker++) await ask();
  expect(clock.asked).toBe(3);
});
