import { expect, inject, it } from 'vitest';
import { drain, expectWithinBounds } from './draining-buyers.ts';

const WAVES = 20 * inject('soakShare');

it(`${WAVES} waves of fifty buyers who drain their accounts before the block cost no more than the bounds, over three replicas that are killed in turn`, async () => {
  const outcome = await drain({ drainers: 50, honest: 4, waves: WAVES, toTheEnd: true });
  expect(outcome.lost.length).toBeGreaterThan(0);
  expectWithinBounds(outcome);
  // Those whose replica was killed have no answer.
  expect(outcome.honestServed).toBeGreaterThan(WAVES * 1.5);
}, 900_000);
