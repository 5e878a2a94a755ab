import { expect, test } from 'vitest';
import { killAgainAndAgain } from './killed-node.ts';

test(
  'a node that is killed 80 times under load has lost nothing of what it answered',
  { timeout: 1_800_000 },
  async () => {
    const run = await killAgainAndAgain(80, Math.random);
    console.log(JSON.stringify(run));
    expect(run).toMatchObject({ kills: 80, whileStarting: 16, losses: [] });
    expect(run.payments).toBeGreaterThan(160);
    expect(run.gifts).toBeGreaterThan(60);
  },
);
