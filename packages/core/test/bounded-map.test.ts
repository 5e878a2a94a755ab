import { expect, it } from 'vitest';
import { BoundedMap } from '../src/bounded-map.ts';

it('keeps as many entries as it may; what was set longest ago goes first, and what is set anew stays', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
