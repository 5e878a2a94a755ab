import { expect, test } from 'vitest';
import { RecentlyUsed } from '../src/recently-used.ts';

test('keeps what is used, however much else passes through', () => {
  const cache = new RecentlyUsed<string, number>(10);
  cache.set('used', 1);
  for (let index = 0; index < 1000; index++) {
    cache.set(`other ${index}`, index);
    expect(cache.get('used')).toBe(1);
  }
});

test('forgets what is not used', () => {
  const cache = new RecentlyUsed<string, number>(10);
  cache.set('unused', 1);
  for (let index = 0; index < 20; index++) cache.set(`other ${index}`, index);
  expect(cache.get('unused')).toBeUndefined();
});

test('keeps at least its capacity', () => {
  const cache = new RecentlyUsed<number, number>(10);
  for (let index = 0; index < 1000; index++) cache.set(index, index);
  for (let index = 990; index < 1000; index++) expect(cache.get(index)).toBe(index);
});
