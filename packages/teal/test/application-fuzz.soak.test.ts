import { expect, it } from 'vitest';
import { fuzzApplications } from './application-fuzz.ts';

it('of 100,000 calls of random programs none does anything but pass, reject or fail with words', () => {
  const counts = fuzzApplications(100_000);
  console.log('calls of random programs:', counts);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(100);
}, 900_000);
