import { expect } from 'vitest';
import { EVERYTHING_FAILS, runChaos } from './chaos.ts';

/** A few seconds of chaos: three replicas settle 60 payments while one is killed and the node fails. */
export async function surviveShortChaos(blockTimeMs: number): Promise<void> {
  const { counts, violations, logs } = await runChaos({
    ...EVERYTHING_FAILS,
    payments: 60,
    paymentsPerSecond: 20,
    blockTimeMs,
    kills: 1,
  });
  console.log(counts);
  expect({ violations, logs }).toEqual({ violations: [], logs: [] });
  expect(counts.kills).toBe(1);
  expect(counts.droppedAnswers).toBeGreaterThanOrEqual(2);
  expect(counts.algodFaults).toBeGreaterThanOrEqual(8);
  expect(counts.duplicates).toBeGreaterThanOrEqual(18);
  expect(counts.debits).toBeGreaterThan(counts.payments / 3);
}
