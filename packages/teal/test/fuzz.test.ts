import { expect, it } from 'vitest';
import { fuzzPrograms } from './fuzz.ts';

it('no random program does anything but pass, reject or fail with words', () => {
  const counts = fuzzPrograms(2000);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});
