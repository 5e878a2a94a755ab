import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it('three replicas settle 1,000 payments once each and tell nobody anything false, whatever fails', async () => {
  const { counts, violations, logs } = await runChaos({
    seed,
    payments: 1_000,
    paymentsPerSecond: 13,
    blockTimeMs: 500,
    kills: 15,
    faults: true,
    duplicateShare: 0.3,
    duplicates: ['same key', 'other key', 'no key'],
    poorShare: 0.05,
  });
  console.log(counts);
  expect({ violations, logs }).toEqual({ violations: [], logs: [] });
  expect(counts.kills).toBeGreaterThanOrEqual(10);
  expect(counts.droppedAnswers).toBeGreaterThanOrEqual(50);
  expect(counts.algodFaults).toBeGreaterThanOrEqual(50);
  expect(counts.duplicates).toBeGreaterThanOrEqual(250);
  expect(counts.debits).toBeGreaterThan(counts.payments / 2);
});
