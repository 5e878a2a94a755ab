import { expect, test } from 'vitest';
import { APPLICATION_SCENARIOS } from './replay/applications.ts';
import { readScenario } from './replay/recording.ts';
import { replay } from './replay/replay.ts';

const TOTAL = 10_783;

test('all recordings of applications are counted', () => {
  const exchanges = Object.values(APPLICATION_SCENARIOS).map((scenario) => scenario.exchanges);
  expect(exchanges.reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
});

test.each(Object.keys(APPLICATION_SCENARIOS))(
  'a replay of %s differs in no more and no fewer answers than is known',
  async (name) => {
    const { compared, mismatched } = await replay(readScenario('applications', name));
    expect({ exchanges: compared, differing: mismatched.length }).toEqual(APPLICATION_SCENARIOS[name]);
  },
);
