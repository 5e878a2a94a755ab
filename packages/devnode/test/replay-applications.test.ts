import { describe, expect, test } from 'vitest';
import { APPLICATION_SCENARIOS } from './replay/applications.ts';
import { readScenario, scenarioNames } from './replay/recording.ts';
import { replay } from './replay/replay.ts';

/** A part of the recordings for every run of the tests; `replay-applications.ci.test.ts` replays all. */
const EVERYDAY = ['app-life', 'app-order', 'app-boxes-rest', 'app-inner-appl', 'app-real-factory', 'app-simulate'];

describe('a replay of what algod answered about applications', () => {
  test('has all recordings', () => {
    expect(scenarioNames('applications')).toEqual(Object.keys(APPLICATION_SCENARIOS));
  });

  test.each(EVERYDAY)('differs in no more and no fewer answers of %s than is known', async (name) => {
    const { compared, mismatched } = await replay(readScenario('applications', name));
    expect({ exchanges: compared, differing: mismatched.length }).toEqual(APPLICATION_SCENARIOS[name]);
  });
});
