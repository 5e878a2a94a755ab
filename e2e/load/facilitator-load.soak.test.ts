import { expect, inject, it } from 'vitest';
import { runFacilitatorLoad } from './facilitator-load.ts';

const seconds = Number(process.env['LOAD_SECONDS'] ?? 30);
/** Of far fewer, none may come while a replica is killed or the sponsor is empty. */
const paymentsPerSecond = Number(process.env['LOAD_PER_SECOND'] ?? 60 * Math.max(0.3, inject('soakShare')));
const payments = seconds * paymentsPerSecond;

it(`${payments} payments, ${paymentsPerSecond} a second, while all that happens: each is accounted for once`, async () => {
  const { counts, violations } = await runFacilitatorLoad({ payments, paymentsPerSecond, blockTimeMs: 500 });
  console.log(counts);
  expect(violations).toEqual([]);
  expect(counts).toMatchObject({ payments: payments + 5, kills: 1, refills: 1, askedAgain: 5 });
  // More than the sponsor could pay for before it was refilled.
  expect(counts.debits).toBeGreaterThan(payments / 3);
  expect(Math.min(counts.scrapes, counts.unfunded, counts.backedUp)).toBeGreaterThan(0);
});
