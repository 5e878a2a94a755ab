import { expect, it } from 'vitest';
import { EVERYTHING_FAILS, runChaos } from './chaos.ts';

it('three replicas settle each payment once and tell nobody anything false, whatever fails', async () => {
  const { counts, violations, logs } = await runChaos({
    ...EVERYTHING_FAILS,
    payments: 30,
    paymentsPerSecond: 20,
    blockTimeMs: 100,
    kills: 1,
  });
  console.log(counts);
  expect({ violations, logs }).toEqual({ violations: [], logs: [] });
  expect(counts.kills).toBe(1);
  expect(counts.droppedAnswers).toBeGreaterThan(0);
  expect(counts.algodFaults).toBeGreaterThanOrEqual(4);
  expect(counts.duplicates).toBeGreaterThanOrEqual(9);
  expect(counts.debits).toBeGreaterThan(counts.payments / 3);
}, 300_000);
