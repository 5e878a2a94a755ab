import { describe, expect, test } from 'vitest';
import { oneByteChanged } from './replay/changed.ts';
import { RANDOM_SCENARIOS } from './replay/random.ts';
import { readScenario, scenarioNames } from './replay/recording.ts';
import { replay } from './replay/replay.ts';

/** Exchanges of each recorded scenario, but the random ones, in which programs run or Falcon keys are verified. All answers are compared. */
const RECORDED = {
  'async-pqcheck': 82,
  'async-pqfalcon': 51,
  'ed25519-groups': 87,
  'prog-appops': 121,
  'prog-arith': 351,
  'prog-bmath': 242,
  'prog-bytes': 183,
  'prog-consts': 70,
  'prog-contracts': 179,
  'prog-ec': 183,
  'prog-flow': 125,
  'prog-globals': 131,
  'prog-gtxn': 34,
  'prog-hash': 80,
  'prog-pq': 34,
  'prog-sigs': 84,
  'prog-stack': 83,
  'prog-static': 104,
  'prog-submit': 49,
  'prog-text': 119,
  'prog-txn': 163,
  'prog-types': 220,
  'prog-versions': 262,
  'prog-zk': 51,
  'sim-lsig': 49,
  'tx-lsig': 142,
} as const;

const TOTAL = 3279;

describe('the recordings of programs', () => {
  test('are all here', () => {
    const all = { ...RECORDED, ...RANDOM_SCENARIOS.programs };
    expect(scenarioNames('programs')).toEqual(Object.keys(all).sort());
    expect(Object.values(RECORDED).reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
  });
});

describe('a replay of what algod answered to programs', () => {
  let compared = 0;

  test.each(Object.entries(RECORDED))('agrees with every answer of %s', async (name, count) => {
    const result = await replay(readScenario('programs', name));
    compared += result.compared;
    expect(result.mismatched.map(({ text }) => text).join('\n\n')).toBe('');
    expect(result.compared).toBe(count);
  });

  test(`compared all ${TOTAL} answers`, () => {
    console.log(`replayed ${compared} recorded requests with programs, compared as many answers`);
    expect(compared).toBe(TOTAL);
  });

  test('finds one changed byte of one record', async () => {
    const scenario = readScenario('programs', 'prog-stack');
    const exchanges = scenario.exchanges.map((recorded) => (recorded.n === 9 ? oneByteChanged(recorded) : recorded));
    const { mismatched } = await replay({ ...scenario, exchanges });
    expect(mismatched.map(({ n }) => n)).toEqual([9]);
  });
});
