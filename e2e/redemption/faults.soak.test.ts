import { expect, it } from 'vitest';
import { runWithFaults } from './fault-run.ts';

const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

it(`every debit of 1,000 paid requests is served once, at once or by one retry, whatever the lines do (seed ${seed})`, async () => {
  const { violations, counts } = await runWithFaults({ seed, payments: 1_000, buyers: 16 });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts.paid).toBeGreaterThan(500);
  expect(counts.servedByRetry).toBeGreaterThan(10);
  for (const count of Object.values(counts.faults)) expect(count).toBeGreaterThan(50);
}, 900_000);
