import { expect, inject, it } from 'vitest';
import { runServerFaults } from './server-faults.ts';

const REQUESTS = 1_250 * inject('soakShare');
const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it(`two shops on one store serve every debit of ${REQUESTS} paid requests once, whatever the lines do`, async () => {
  const { counts, violations } = await runServerFaults({ seed, requests: REQUESTS, atOnce: 25 });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts['payments']).toBeGreaterThanOrEqual(REQUESTS * 0.8);
  expect(counts['debits']).toBeGreaterThan(REQUESTS * 0.64);
  expect(counts['servedByRetry']).toBeGreaterThan(REQUESTS * 0.016);
  expect(counts['clientFaults']).toBeGreaterThan(REQUESTS * 0.24);
  expect(counts['facilitatorFaults']).toBeGreaterThan(REQUESTS * 0.04);
});
