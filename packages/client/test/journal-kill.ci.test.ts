import { expect, it } from 'vitest';
import { killPayingProcess } from './journal-kill.ts';

it('a journal survives 5 kills: nothing is debited that it does not explain', async () => {
  const { debits, left } = await killPayingProcess(5, '$100');
  expect(debits).toBeGreaterThan(5);
  expect(left - debits).toBeLessThanOrEqual(5);
});

it('a budget survives kills: what left without an answer counts as well', async () => {
  const { debits, left } = await killPayingProcess(5, '$0.05');
  expect(left).toBe(5);
  expect(debits).toBeLessThanOrEqual(5);
});
