import { describe, expect, test } from 'vitest';
import { readScenario, scenarioNames, type Exchange } from './replay/recording.ts';
import { replay } from './replay/replay.ts';

/** Exchanges of each recorded scenario; the suite is worth nothing if some are left out. */
const RECORDED = {
  'teal-basics': 910,
  'teal-constants': 422,
  'teal-disassemble': 836,
  'teal-errors': 509,
  'teal-labels': 316,
  'teal-limits': 137,
  'teal-limits-nodev': 19,
  'teal-pragmas': 354,
  'teal-real': 100,
  'teal-sourcemap': 105,
} as const;

const TOTAL = 3708;

describe('the recordings of the assembler', () => {
  test('are all here', () => {
    expect(scenarioNames('teal')).toEqual(Object.keys(RECORDED));
    expect(Object.values(RECORDED).reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
  });
});

describe('a replay of what algod’s assembler answered', () => {
  let compared = 0;

  test.each(Object.entries(RECORDED))('agrees with every answer of %s', async (name, count) => {
    const result = await replay(readScenario('teal', name));
    compared += result.compared;
    expect(result.mismatched.map(({ text }) => text).join('\n\n')).toBe('');
    expect(result.compared).toBe(count);
  });

  test(`compared all ${TOTAL} answers`, () => {
    console.log(`replayed and compared ${compared} recorded requests of the assembler`);
    expect(compared).toBe(TOTAL);
  });

  test('finds one changed byte of one record', async () => {
    const scenario = readScenario('teal', 'teal-real');
    const exchanges = scenario.exchanges.map((recorded) => (recorded.n === 3 ? oneByteChanged(recorded) : recorded));
    const { mismatched } = await replay({ ...scenario, exchanges });
    expect(mismatched.map(({ n }) => n)).toEqual([3]);
  });
});

function oneByteChanged(recorded: Exchange): Exchange {
  const body = recorded.response.body ?? '';
  const at = Math.floor(body.length / 2);
  const changed = body.slice(0, at) + String.fromCharCode(body.charCodeAt(at) ^ 1) + body.slice(at + 1);
  return { ...recorded, response: { ...recorded.response, body: changed } };
}
