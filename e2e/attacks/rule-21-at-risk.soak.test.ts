import { expect, inject, it } from 'vitest';
import { drain, expectWithinBounds } from './draining-buyers.ts';

const DRAINERS = 50 * inject('soakShare');

it(`twenty times ${DRAINERS} buyers who drain their accounts before the block cost no more than the bounds, over three replicas that are killed in turn`, async () => {
  const outcome = await drain({ drainers: DRAINERS, honest: 4, waves: 20, toTheEnd: true });
  expect(outcome.early).toBeGreaterThan(0);
  expect(outcome.lost.length).toBeGreaterThan(0);
  expectWithinBounds(outcome);
  // Those whose replica was killed have no answer.
  expect(outcome.honestServed).toBeGreaterThan(60);
}, 900_000);
