import { expect, it } from 'vitest';
import { useChain } from '../batch-settlement/stage.ts';
import { attackMandates } from './thieves.ts';

/** `THEFT_SEQUENCES=10000` runs about ten times as long. */
const sequences = Number(process.env['THEFT_SEQUENCES'] ?? 1000);
const chain = useChain();

it('random sequences: no window of a mandate loses more than slots × cap, and none after the end', async () => {
  const thefts = await attackMandates(chain, { sequences, seed: 2 });
  console.log({ ...thefts, stolen: thefts.stolen.toString() });
  expect(thefts.fullWindows).toBeGreaterThan(sequences / 20);
}, 3_600_000);
