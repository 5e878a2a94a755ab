import { expect, it } from 'vitest';
import { EVERYTHING_FAILS, runChaos } from './chaos.ts';

it('three replicas settle 1,000 payments once each and tell nobody anything false, whatever fails', async () => {
  const { counts, violations, logs } = await runChaos({
    ...EVERYTHING_FAILS,
    payments: 1_000,
    paymentsPerSecond: 13,
    blockTimeMs: 500,
    kills: 15,
  });
  console.log(counts);
  expect({ violations, logs }).toEqual({ violations: [], logs: [] });
  expect(counts.kills).toBeGreaterThanOrEqual(10);
  expect(counts.droppedAnswers).toBeGreaterThanOrEqual(50);
  expect(counts.algodFaults).toBeGreaterThanOrEqual(50);
  expect(counts.duplicates).toBeGreaterThanOrEqual(250);
  expect(counts.debits).toBeGreaterThan(counts.payments / 2);
});
