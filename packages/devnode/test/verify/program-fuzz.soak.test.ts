import { expect, inject, test } from 'vitest';
import { fuzzNode } from './program-fuzz.ts';

const PROGRAMS = 20_000 * inject('soakShare');

test(`of ${PROGRAMS} changed programs each gets the same verdict simulated and submitted, and the node goes on`, async () => {
  const counts = await fuzzNode(PROGRAMS);
  console.log('changed programs:', counts);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(PROGRAMS / 200);
}, 600_000);
