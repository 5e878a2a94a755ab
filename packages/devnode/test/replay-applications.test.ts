import { describe, expect, test } from 'vitest';
import { changedSimulations } from './replay/changed-simulations.ts';
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

  test('finds one changed value of an answer whose order is free', async () => {
    const scenario = readScenario('applications', 'app-order');
    const free = scenario.exchanges.find(({ unordered }) => unordered);
    const body = free?.response.body?.replace('"pool-error": ""', '"pool-error": "x"');
    expect(body).not.toBe(free?.response.body);
    const exchanges = scenario.exchanges.map((recorded) =>
      recorded === free ? { ...recorded, response: { ...recorded.response, ...(body && { body }) } } : recorded,
    );
    const { mismatched } = await replay({ ...scenario, exchanges });
    expect(mismatched.map(({ n }) => n)).toEqual([free?.n]);
  });

  test('breaks nothing when simulations change', async () => {
    const { internalErrors, ran } = await changedSimulations('app-unnamed', 2);
    expect(internalErrors).toEqual([]);
    expect(ran).toBeGreaterThan(20);
  });
});
