import { expect, it } from 'vitest';
import { fuzzApplications } from './application-fuzz.ts';

it('no call of a random program does anything but pass, reject or fail with words', () => {
  const counts = fuzzApplications(1500);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});
