import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ground, plainMixes, startGround } from './matrix.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground.stop());

const mixes = plainMixes().filter(({ strangers }) => strangers > 1);

it('has every mix of three makes in three roles that the everyday run leaves out', () =>
  expect(mixes).toHaveLength(27 - 7));

it.each(plainMixes())(
  'a mandate’s agent with a client of $client.name pays a server of $server.name by a facilitator of $facilitator.name',
  async (mix) => {
    expect(await ground.attemptByMandate(mix)).toBe('paid');
  },
);

it.each(mixes)(
  'a client of $client.name pays a server of $server.name by a facilitator of $facilitator.name',
  async (mix) => {
    expect(await ground.attempt(mix)).toBe('paid');
  },
);
