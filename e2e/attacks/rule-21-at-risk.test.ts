import { expect, it } from 'vitest';
import { drain, expectWithinBounds } from './draining-buyers.ts';

it('buyers who drain their accounts before the block cost the seller no more than its bounds, over three replicas of which one is killed', async () => {
  const outcome = await drain({ drainers: 8, honest: 3, waves: 2, toTheEnd: false });
  expect(outcome.early).toBeGreaterThan(0);
  expect(outcome.lost.length).toBeGreaterThan(0);
  expectWithinBounds(outcome);
  expect(outcome.honestServed).toBeGreaterThan(0);
}, 60_000);
