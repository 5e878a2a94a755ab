import { expect, it } from 'vitest';
import { useChain } from '../batch-settlement/stage.ts';
import { attackMandates } from './thieves.ts';

const chain = useChain();

it('10,000 random sequences: no window of a mandate loses more than slots × cap, and none after the end', async () => {
  const thefts = await attackMandates(chain, { sequences: 10_000, seed: 2 });
  console.log({ ...thefts, stolen: thefts.stolen.toString() });
  expect(thefts.fullWindows).toBeGreaterThan(500);
}, 3_600_000);
