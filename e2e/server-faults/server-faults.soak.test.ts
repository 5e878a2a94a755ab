import { expect, it } from 'vitest';
import { runServerFaults } from './server-faults.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it('two shops on one store serve every debit of more than 1,000 paid requests once, whatever the lines do', async () => {
  const { counts, violations } = await runServerFaults({ seed, requests: 1_250, atOnce: 25 });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts['payments']).toBeGreaterThanOrEqual(1_000);
  expect(counts['debits']).toBeGreaterThan(800);
  expect(counts['servedByRetry']).toBeGreaterThan(20);
  expect(counts['clientFaults']).toBeGreaterThan(300);
  expect(counts['facilitatorFaults']).toBeGreaterThan(50);
});
