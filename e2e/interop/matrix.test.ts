import { afterAll, beforeAll, expect, it } from 'vitest';
import { makes } from './makes.ts';
import { type Ground, mixesOf, SPELLINGS, startGround } from './matrix.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground.stop());

/** Each client with each server and each facilitator, once; the soak tries them in every flow and spelling. */
const mixes = mixesOf(makes).filter(
  ({ network, isUpfront, isSponsored }) => network === SPELLINGS[0] && !isUpfront && isSponsored,
);

it('has three makes in three roles', () => expect(mixes).toHaveLength(27));

it.each(mixes)(
  'a client of $client.name pays a server of $server.name by a facilitator of $facilitator.name',
  async (mix) => {
    expect(await ground.attempt(mix)).toBe('paid');
  },
);
