import { expect, inject, it } from 'vitest';
import { killPayingProcess } from './journal-kill.ts';

const KILLS = 50 * inject('soakShare');

it(`a journal survives ${KILLS} kills: nothing is debited that it does not explain`, async () => {
  const run = await killPayingProcess(KILLS, '$100');
  console.log(JSON.stringify(run));
  expect(run.debits).toBeGreaterThan(KILLS);
  expect(run.left - run.debits).toBeLessThanOrEqual(KILLS);
});
