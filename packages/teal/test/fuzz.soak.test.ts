import { expect, inject, it } from 'vitest';
import { fuzzPrograms } from './fuzz.ts';

const PROGRAMS = 40_000 * inject('soakShare');

it(`of ${PROGRAMS} random programs none does anything but pass, reject or fail with words`, () => {
  const counts = fuzzPrograms(PROGRAMS);
  console.log('random programs:', counts);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(PROGRAMS / 400);
}, 600_000);
