import { expect, it } from 'vitest';
import { drain, expectWithinBounds } from './draining-buyers.ts';

it('a thousand buyers who drain their accounts before the block cost no more than the bounds, over three replicas that are killed in turn', async () => {
  const outcome = await drain({ drainers: 300, honest: 34, waves: 3, toTheEnd: true });
  expect(outcome.lost.length).toBeGreaterThan(0);
  expectWithinBounds(outcome);
  expect(outcome.honestServed).toBeGreaterThan(34);
}, 900_000);
