import { expect, test } from 'vitest';
import { fuzzNode } from './program-fuzz.ts';

test('of 20,000 changed programs each gets the same verdict simulated and submitted, and the node goes on', async () => {
  const counts = await fuzzNode(20_000);
  console.log('changed programs:', counts);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(100);
}, 600_000);
