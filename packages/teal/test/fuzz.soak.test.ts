import { expect, it } from 'vitest';
import { fuzzPrograms } from './fuzz.ts';

it('of 40,000 random programs none does anything but pass, reject or fail with words', () => {
  const counts = fuzzPrograms(40_000);
  console.log('random programs:', counts);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(100);
}, 600_000);
