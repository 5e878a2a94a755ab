import { expect, test } from 'vitest';
import { fuzzNode } from './program-fuzz.ts';

test('changed programs get the same verdict simulated and submitted, and the node goes on', async () => {
  const counts = await fuzzNode(300);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});
