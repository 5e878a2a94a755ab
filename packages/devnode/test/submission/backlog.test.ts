import { setImmediate as otherEvents } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { signedTransaction, type SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { transaction } from '../../src/codec/schema/transaction.ts';
import { Backlog } from '../../src/submission/backlog.ts';

const GROUPS = 5000;

/** No work of these tests fails. */
const fail = (error: unknown): never => {
  throw error;
};

function group(number: number, size = 1): SignedTransaction[] {
  const member = signedTransaction.of({ transaction: transaction.of({ amount: BigInt(number) }) });
  return Array.from({ length: size }, () => member);
}

test('a backlog under a load that never ends works off everything in order, a few at a time', async () => {
  const done: number[] = [];
  const backlog = new Backlog({
    capacity: GROUPS,
    onError: fail,
    process: async (groups) => {
      for (const [first] of groups) done.push(Number(first?.transaction.amount));
    },
  });
  let most = 0;
  for (let number = 0; number < GROUPS; number++) {
    backlog.add(group(number));
    if (number % 10 !== 9) continue;
    const before = done.length;
    await otherEvents();
    most = Math.max(most, done.length - before);
  }
  expect(most).toBeLessThan(GROUPS / 10);
  while (backlog.size > 0) await otherEvents();
  expect(done).toEqual(Array.from({ length: GROUPS }, (_, number) => number));
});

test('a backlog takes few transactions at once while more come, more when none come, and groups whole', async () => {
  const taken: number[][] = [];
  const backlog = new Backlog({
    capacity: 100,
    onError: fail,
    process: async (groups) => void taken.push(groups.map(({ length }) => length)),
  });
  for (let number = 0; number < 40; number++) backlog.add(group(number));
  await otherEvents();
  backlog.add(group(40));
  await otherEvents();
  expect(taken).toEqual([
    [1, 1],
    [1, 1],
  ]);
  while (backlog.size > 0) await otherEvents();
  expect(taken.slice(2).map(({ length }) => length)).toEqual([32, 5]);
  taken.length = 0;
  for (let number = 0; number < 4; number++) backlog.add(group(number, 15));
  while (backlog.size > 0) await otherEvents();
  expect(taken).toEqual([[15], [15, 15, 15]]);
});

test('a group stays on the backlog until it has been worked off', async () => {
  let finish = (): void => {};
  const backlog = new Backlog({
    capacity: 3,
    onError: fail,
    process: () => new Promise((resolve) => (finish = resolve)),
  });
  for (const number of [1, 2, 3]) backlog.add(group(number));
  await otherEvents();
  expect(backlog.size).toBe(3);
  expect(() => backlog.add(group(4))).toThrow('backlog full');
  finish();
  await otherEvents();
  expect(backlog.size).toBe(1);
  backlog.close();
  finish();
  await otherEvents();
  expect(backlog.size).toBe(0);
});

test('a backlog that is closed does nothing more', async () => {
  let processed = 0;
  const backlog = new Backlog({ capacity: 10, onError: fail, process: async () => void processed++ });
  backlog.add(group(1));
  backlog.close();
  await otherEvents();
  expect(processed).toBe(0);
  expect(backlog.size).toBe(0);
});
