import { describe, expect, test } from 'vitest';
import { readKmdScenario, replayKmd } from './replay.ts';

/** Exchanges of each recorded scenario; the suite is worth nothing if some are left out. */
const RECORDED = {
  'kmd-expiry': 7,
  'kmd-http': 28,
  'kmd-keys': 27,
  'kmd-multisig': 20,
  'kmd-sign': 19,
  'kmd-wallets': 38,
} as const;

const TOTAL = 139;

describe('a replay of what kmd answered', () => {
  let compared = 0;

  test.each(Object.entries(RECORDED))('agrees with every answer of %s', async (name, count) => {
    const result = await replayKmd(readKmdScenario(name));
    compared += result.compared;
    expect(result.mismatched.join('\n\n')).toBe('');
    expect(result.compared).toBe(count);
  });

  test(`compared all ${TOTAL} answers`, () => {
    expect(compared).toBe(TOTAL);
  });

  test('finds one changed byte of one record', async () => {
    const scenario = readKmdScenario('kmd-keys');
    const exchanges = scenario.exchanges.map((recorded) => {
      const { response } = recorded;
      const body = response.body?.replace('WW3BJW', 'WW3BJX');
      return recorded.n === 4
        ? { ...recorded, response: { ...response, ...(body !== undefined && { body }) } }
        : recorded;
    });
    const { mismatched } = await replayKmd({ ...scenario, exchanges });
    expect(mismatched.map((text) => text.split(' ')[0])).toEqual(['#4']);
  });
});
