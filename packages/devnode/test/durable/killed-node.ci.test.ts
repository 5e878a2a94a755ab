import { expect, test } from 'vitest';
import { killAgainAndAgain } from './killed-node.ts';

test(
  'a node that is killed 8 times under load has lost nothing of what it answered',
  { timeout: 120_000 },
  async () => {
    const run = await killAgainAndAgain(8, Math.random);
    expect(run).toMatchObject({ kills: 8, whileStarting: 1, losses: [] });
    expect(run.payments).toBeGreaterThan(6);
    expect(run.gifts).toBeGreaterThan(2);
  },
);
