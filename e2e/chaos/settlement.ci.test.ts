import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it('three replicas settle each payment once and tell nobody anything false, whatever fails', async () => {
  const { counts, violations, logs } = await runChaos({
    seed,
    payments: 60,
    paymentsPerSecond: 20,
    blockTimeMs: 200,
    kills: 1,
    faults: true,
    duplicateShare: 0.3,
    duplicates: ['same key', 'other key', 'no key'],
    poorShare: 0.05,
  });
  console.log(counts);
  expect({ violations, logs }).toEqual({ violations: [], logs: [] });
  expect(counts.kills).toBe(1);
  expect(counts.droppedAnswers).toBeGreaterThanOrEqual(2);
  expect(counts.algodFaults).toBeGreaterThanOrEqual(8);
  expect(counts.duplicates).toBeGreaterThanOrEqual(18);
  expect(counts.debits).toBeGreaterThan(counts.payments / 3);
}, 300_000);
