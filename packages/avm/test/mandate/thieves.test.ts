import { expect, it } from 'vitest';
import { useChain } from '../batch-settlement/stage.ts';
import { attackMandates } from './thieves.ts';

const chain = useChain();

it('40 random sequences of thieves, strangers and owners: no window loses more than slots × cap, and none after the end', async () => {
  const thefts = await attackMandates(chain, { sequences: 40, seed: 1 });
  expect(thefts.accepted).toBeGreaterThan(30);
  expect(thefts.refused).toBeGreaterThan(100);
  expect(thefts.fullWindows).toBeGreaterThan(3);
  expect(thefts.late).toBeGreaterThan(0);
});
