import { expect, it } from 'vitest';
import { killPayingProcess } from './journal-kill.ts';

it('a journal survives 50 kills: nothing is debited that it does not explain', async () => {
  const run = await killPayingProcess(50, '$100');
  console.log(JSON.stringify(run));
  expect(run.debits).toBeGreaterThan(50);
  expect(run.left - run.debits).toBeLessThanOrEqual(50);
});
