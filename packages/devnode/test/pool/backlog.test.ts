import { setImmediate as otherEvents } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { signedTransaction, type SignedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { transaction } from '../../src/codec/schema/transaction.ts';
import { Backlog } from '../../src/pool/backlog.ts';

const GROUPS = 5000;

function group(number: number): SignedTransaction[] {
  return [signedTransaction.of({ transaction: transaction.of({ amount: BigInt(number) }) })];
}

test('a backlog under a load that never ends works off everything in order, a few at a time', async () => {
  const done: number[] = [];
  const backlog = new Backlog({
    capacity: 2000,
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

test('a backlog that is closed does nothing more', async () => {
  let processed = 0;
  const backlog = new Backlog({ capacity: 10, process: async () => void processed++ });
  backlog.add(group(1));
  backlog.close();
  await otherEvents();
  expect(processed).toBe(0);
  expect(backlog.size).toBe(0);
});
