import { expect, it } from 'vitest';
import { runWithFaults } from './fault-run.ts';

const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it(`every debit is served once, at once or by one retry, whatever the lines do (seed ${seed})`, async () => {
  const { violations, counts } = await runWithFaults({ seed, payments: 80, buyers: 8 });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts.paid).toBeGreaterThan(40);
  for (const count of Object.values(counts.faults)) expect(count).toBeGreaterThan(0);
}, 120_000);

it('the oracle sees when the two processes share no store', async () => {
  const { violations } = await runWithFaults({ seed: 402, payments: 40, buyers: 8, hasSeparateStores: true });
  expect(violations.join('\n')).toContain('was debited, and a retry was not served');
}, 120_000);
