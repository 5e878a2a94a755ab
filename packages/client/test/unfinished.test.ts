import { expect, it } from 'vitest';
import { type Held, Unfinished } from '../src/journal/unfinished.ts';

it('holds what 10,000 requests left; the oldest goes when another one comes', () => {
  const held = new Unfinished<Held & { path: number }>({ now: () => 0, isOver: () => false });
  for (let path = 0; path <= 10_000; path++) held.keep(`${path}`, { path });
  expect([0, 1, 10_000].map((path) => held.take(`${path}`))).toEqual([undefined, { path: 1 }, { path: 10_000 }]);
});
