import { expect, it } from 'vitest';
import { runServerFaults } from './server-faults.ts';

const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it('two shops on one store serve every debit once, whatever the lines do', async () => {
  const { counts, violations } = await runServerFaults({ seed, requests: 40, atOnce: 15 });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts['debits']).toBeGreaterThan(25);
  expect(counts['clientFaults']).toBeGreaterThan(8);
  expect(counts['facilitatorFaults']).toBeGreaterThan(0);
}, 120_000);
