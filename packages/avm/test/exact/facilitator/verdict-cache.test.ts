import { describe, expect, it } from 'vitest';
import { VerdictCache } from '../../../src/exact/facilitator/verdict-cache.ts';
import type { Verdict } from '../../../src/node/ask-node.ts';

/** A cache and, for each simulation that it asked for, what answers it. */
function watched(now = (): number => 0) {
  const cache = new VerdictCache({ ttlMs: 1_000, capacity: 10, now });
  const answers: ((verdict: Verdict) => void)[] = [];
  const simulate = () => new Promise<Verdict>((resolve) => answers.push(resolve));
  return { cache, answers, ask: (key: string, payer = 'PAYER') => cache.share(key, payer, simulate) };
}

describe('a simulation under way', () => {
  it('is shared by those who ask for the same, and kept', async () => {
    const { cache, answers, ask } = watched();
    const asked = Promise.all([ask('key'), ask('key')]);
    answers[0]?.({ lastRound: 7n });
    expect(await asked).toEqual([{ lastRound: 7n }, { lastRound: 7n }]);
    expect(answers).toHaveLength(1);
    expect(cache.recent('key')).toMatchObject({ lastRound: 7n });
  });

  it.each([
    ['everything', (cache: VerdictCache) => cache.clear()],
    ['its payer', (cache: VerdictCache) => cache.forget('PAYER')],
  ])('that began before %s was forgotten is neither shared nor kept', async (_, forget) => {
    const { cache, answers, ask } = watched();
    const before = ask('key');
    forget(cache);
    const after = ask('key');
    expect(answers).toHaveLength(2);
    answers[0]?.({ lastRound: 7n });
    await before;
    expect(cache.recent('key')).toBeUndefined();
    answers[1]?.({ lastRound: 8n });
    await after;
    expect(cache.recent('key')).toMatchObject({ lastRound: 8n });
  });

  it('of another payer is not forgotten with one', async () => {
    const { cache, answers, ask } = watched();
    const asked = [ask('one', 'A'), ask('two', 'B')];
    cache.forget('A');
    for (const answer of answers) answer({ lastRound: 7n });
    await Promise.all(asked);
    expect([cache.recent('one'), cache.recent('two')]).toMatchObject([undefined, { lastRound: 7n }]);
  });
});

it.each([
  ['its time is over', 6_000],
  ['the clock is set back', 4_999],
])('a verdict counts until %s, and never again', async (_, over) => {
  let clock = 5_000;
  const { cache, answers, ask } = watched(() => clock);
  const asked = ask('key');
  answers[0]?.({ lastRound: 7n });
  await asked;
  const recentAt = (now: number): boolean => {
    clock = now;
    return cache.recent('key') !== undefined;
  };
  expect([5_000, 5_999, over, 5_000].map(recentAt)).toEqual([true, true, false, false]);
});
