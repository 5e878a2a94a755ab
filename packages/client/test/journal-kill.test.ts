import { expect, it } from 'vitest';
import { killPayingProcess } from './journal-kill.ts';

it('a journal survives 2 kills: nothing is debited that it does not explain', async () => {
  const { debits, left } = await killPayingProcess(2, '$100');
  expect(debits).toBeGreaterThan(1);
  expect(left - debits).toBeLessThanOrEqual(2);
});

it('a budget survives kills: what left without an answer counts as well', async () => {
  const { debits, left } = await killPayingProcess(3, '$0.05');
  expect(left).toBe(5);
  expect(debits).toBeLessThanOrEqual(5);
});
