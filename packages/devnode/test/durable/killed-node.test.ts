import { expect, test } from 'vitest';
import { killAgainAndAgain } from './killed-node.ts';

test(
  'a node that is killed 5 times under load has lost nothing of what it answered',
  { timeout: 120_000 },
  async () => {
    const run = await killAgainAndAgain(5, Math.random);
    expect(run).toMatchObject({ kills: 5, whileStarting: 1, losses: [] });
    expect(run.payments).toBeGreaterThan(3);
    expect(run.gifts).toBeGreaterThan(0);
  },
);
