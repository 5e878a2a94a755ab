import { expect, inject, test } from 'vitest';
import { checkPrograms, checkSources } from './round-trip.ts';

const RUNS = 25_000 * inject('soakShare');

test(`${RUNS} sources are assembled or refused, and what was assembled comes back from its disassembly`, () => {
  const programs = checkSources(RUNS);
  console.log(`${programs} of ${RUNS} sources were programs`);
  expect(programs).toBeGreaterThan(RUNS / 50);
});

test(`${RUNS} programs are listed or refused, and listings stay the same`, () => {
  const listed = checkPrograms(RUNS);
  console.log(`${listed} of ${RUNS} programs were listed`);
  expect(listed).toBeGreaterThan(RUNS / 20);
});
