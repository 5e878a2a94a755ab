import { expect, it } from 'vitest';
import { runFacilitatorLoad } from './facilitator-load.ts';

const PAYMENTS = 120;

it('120 payments, 40 a second: scraped, unfunded, refilled, backed up, restored, killed; each is accounted for once', async () => {
  const { counts, violations } = await runFacilitatorLoad({
    payments: PAYMENTS,
    paymentsPerSecond: 40,
    blockTimeMs: 200,
  });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ payments: PAYMENTS + 5, kills: 1, refills: 1, askedAgain: 5 });
  // More than the sponsor could pay for before it was refilled.
  expect(counts.debits).toBeGreaterThan(PAYMENTS / 3);
  expect(Math.min(counts.scrapes, counts.unfunded, counts.backedUp)).toBeGreaterThan(0);
}, 120_000);
