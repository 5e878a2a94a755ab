import { expect, it } from 'vitest';
import { faultRun } from './fault-run.ts';

it('60 requests through cuts and lies: no second debit for one request, within the budget, all in the journal', async () => {
  const run = await faultRun({ requests: 60, seed: 402, perHour: '$0.60', atOnce: 8 });
  expect(run.served).toBeGreaterThan(5);
  expect(run.refused).toBeGreaterThan(0);
  expect(run.cuts).toBeGreaterThan(5);
  expect(run.debits).toBeGreaterThan(10);
});

it('the same where payments leave at the first try', async () => {
  const run = await faultRun({ requests: 60, seed: 403, perHour: '$0.60', atOnce: 8, preempt: true });
  expect(run.served).toBeGreaterThan(5);
  expect(run.refused).toBeGreaterThan(0);
  expect(run.debits).toBeGreaterThan(10);
});
