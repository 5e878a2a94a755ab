import { expect, it } from 'vitest';
import { faultRun } from './fault-run.ts';

it.each([
  { seed: 1, preempt: false },
  { seed: 3, preempt: false },
  { seed: 5, preempt: true },
])('1,000 requests through cuts and lies (seed $seed, preempt: $preempt)', async ({ seed, preempt }) => {
  const run = await faultRun({ requests: 1000, seed, perHour: '$12', atOnce: 10, preempt });
  console.log(JSON.stringify({ seed, ...run }));
  expect(run.served).toBeGreaterThan(100);
  expect(run.refused).toBeGreaterThan(0);
  expect(run.cuts).toBeGreaterThan(100);
  expect(run.debits).toBeGreaterThan(200);
});
