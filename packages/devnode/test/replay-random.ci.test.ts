import { describe, expect, test } from 'vitest';
import { RANDOM_SCENARIOS } from './replay/random.ts';
import { readScenario } from './replay/recording.ts';
import { replay } from './replay/replay.ts';

describe.each(['payments', 'programs'] as const)('a replay of what algod answered to random %s', (set) => {
  test.each(Object.entries(RANDOM_SCENARIOS[set]))('agrees with every answer of %s', async (name, count) => {
    const { compared, mismatched } = await replay(readScenario(set, name));
    expect(mismatched.map(({ text }) => text).join('\n\n')).toBe('');
    expect(compared).toBe(count);
  });
});
