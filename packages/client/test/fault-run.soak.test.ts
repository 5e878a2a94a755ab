import { expect, it } from 'vitest';
import { faultRun } from './fault-run.ts';

it.each([1, 3])('1,000 requests through cuts and lies (seed %i)', async (seed) => {
  const run = await faultRun({ requests: 1000, seed, perHour: '$12', atOnce: 10 });
  console.log(JSON.stringify({ seed, ...run }));
  expect(run.served).toBeGreaterThan(100);
  expect(run.refused).toBeGreaterThan(0);
  expect(run.cuts).toBeGreaterThan(100);
  expect(run.debits).toBeGreaterThan(200);
});
