import { expect, inject, test } from 'vitest';
import { killAgainAndAgain } from './killed-node.ts';

const KILLS = 80 * inject('soakShare');

test(
  `a node that is killed ${KILLS} times under load has lost nothing of what it answered`,
  { timeout: 1_800_000 },
  async () => {
    const run = await killAgainAndAgain(KILLS, Math.random);
    console.log(JSON.stringify(run));
    expect(run).toMatchObject({ kills: KILLS, whileStarting: Math.floor(KILLS / 5), losses: [] });
    expect(run.payments).toBeGreaterThan(KILLS * 2);
    expect(run.gifts).toBeGreaterThan(KILLS / 2);
  },
);
