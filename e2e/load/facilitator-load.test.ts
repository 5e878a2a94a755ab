import { expect, it } from 'vitest';
import { runFacilitatorLoad } from './facilitator-load.ts';

const PAYMENTS = 120;

it('120 payments, 40 a second: scraped, unfunded, refilled, backed up, restored, killed; each is accounted for once', async () => {
  const { counts, violations } = await runFacilitatorLoad({
    payments: PAYMENTS,
    paymentsPerSecond: 40,
    blockTimeMs: 150,
  });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ payments: PAYMENTS + 5, kills: 1, refills: 1 });
  expect(counts.debits).toBeGreaterThan(PAYMENTS / 2);
  expect(Math.min(counts.scrapes, counts.unfunded, counts.backedUp, counts.askedAgain)).toBeGreaterThan(0);
}, 120_000);
