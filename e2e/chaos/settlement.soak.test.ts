import { expect, inject, it } from 'vitest';
import { EVERYTHING_FAILS, runChaos } from './chaos.ts';

const PAYMENTS = 1_000 * inject('soakShare');
const KILLS = 15 * inject('soakShare');

it(`three replicas settle ${PAYMENTS} payments once each and tell nobody anything false, whatever fails`, async () => {
  const { counts, violations, logs } = await runChaos({
    ...EVERYTHING_FAILS,
    payments: PAYMENTS,
    paymentsPerSecond: 13,
    blockTimeMs: 500,
    kills: KILLS,
  });
  console.log(counts);
  expect({ violations, logs }).toEqual({ violations: [], logs: [] });
  expect(counts.kills).toBeGreaterThanOrEqual((KILLS * 2) / 3);
  expect(counts.droppedAnswers).toBeGreaterThanOrEqual(PAYMENTS / 20);
  expect(counts.algodFaults).toBeGreaterThanOrEqual(PAYMENTS / 20);
  expect(counts.duplicates).toBeGreaterThanOrEqual(PAYMENTS / 4);
  expect(counts.debits).toBeGreaterThan(counts.payments / 2);
});
