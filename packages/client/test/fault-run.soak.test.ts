import { expect, inject, it } from 'vitest';
import { faultRun } from './fault-run.ts';

const REQUESTS = 1_000 * inject('soakShare');

it.each([
  { seed: 1, preempt: false },
  { seed: 3, preempt: false },
  { seed: 5, preempt: true },
])(`${REQUESTS} requests through cuts and lies (seed $seed, preempt: $preempt)`, async ({ seed, preempt }) => {
  const run = await faultRun({ requests: REQUESTS, seed, perHour: `$${REQUESTS * 0.012}`, atOnce: 10, preempt });
  console.log(JSON.stringify({ seed, ...run }));
  expect(run.served).toBeGreaterThan(REQUESTS / 10);
  expect(run.refused).toBeGreaterThan(0);
  expect(run.cuts).toBeGreaterThan(REQUESTS / 10);
  expect(run.debits).toBeGreaterThan(REQUESTS / 5);
});
