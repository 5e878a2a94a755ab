import { expect, inject, it } from 'vitest';
import { fuzzApplications } from './application-fuzz.ts';

const CALLS = 100_000 * inject('soakShare');

it(`of ${CALLS} calls of random programs none does anything but pass, reject or fail with words`, () => {
  const counts = fuzzApplications(CALLS);
  console.log('calls of random programs:', counts);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(CALLS / 1000);
}, 900_000);
