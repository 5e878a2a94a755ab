import { expect, test } from 'vitest';
import { killAgainAndAgain } from './killed-node.ts';

test(
  'a node that is killed 200 times under load has lost nothing of what it answered',
  { timeout: 1_800_000 },
  async () => {
    const run = await killAgainAndAgain(200, Math.random);
    console.log(JSON.stringify(run));
    expect(run).toMatchObject({ kills: 200, whileStarting: 40, losses: [] });
    expect(run.payments).toBeGreaterThan(400);
    expect(run.gifts).toBeGreaterThan(150);
  },
);
