import { expect, inject, it } from 'vitest';
import { EVERYTHING_FAILS, runChaos } from './chaos.ts';

/** Far fewer would not meet everything that fails. */
const SHARE = Math.max(0.3, inject('soakShare'));
const PAYMENTS = 1_000 * SHARE;

it(`three replicas settle ${PAYMENTS} payments once each and tell nobody anything false, whatever fails`, async () => {
  const { counts, violations, logs } = await runChaos({
    ...EVERYTHING_FAILS,
    payments: PAYMENTS,
    paymentsPerSecond: 13,
    blockTimeMs: 500,
    kills: 15 * SHARE,
  });
  console.log(counts);
  expect({ violations, logs }).toEqual({ violations: [], logs: [] });
  expect(counts.kills).toBeGreaterThanOrEqual(10 * SHARE);
  expect(counts.droppedAnswers).toBeGreaterThanOrEqual(50 * SHARE);
  expect(counts.algodFaults).toBeGreaterThanOrEqual(50 * SHARE);
  expect(counts.duplicates).toBeGreaterThanOrEqual(250 * SHARE);
  expect(counts.debits).toBeGreaterThan(counts.payments / 2);
});
