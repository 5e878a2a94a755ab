import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ground, plainMixes, startGround } from './matrix.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground.stop());

/** A stranger in one role at most; the others are tried in CI, in every flow and spelling in the soak. */
const mixes = plainMixes().filter(({ strangers }) => strangers <= 1);

it('has a row for each other make in each role', () => expect(mixes).toHaveLength(7));

it.each(mixes)(
  'a client of $client.name pays a server of $server.name by a facilitator of $facilitator.name',
  async (mix) => {
    expect(await ground.attempt(mix)).toBe('paid');
  },
);
