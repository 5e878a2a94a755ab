import { expect, it } from 'vitest';
import { paymentEnd, windowEnd } from '../../src/mandate/mandate-window.ts';

it.each([
  [1n, 500n],
  [500n, 500n],
  [501n, 1000n],
])('round %s belongs to the window that ends with round %s', (round, end) => {
  expect(windowEnd(round)).toBe(end);
});

it.each([
  ['with enough rounds left, this window', 400n, 100n, 500n],
  ['with too few left, the next one', 401n, 100n, 1000n],
  ['after a window’s last round, the next one', 500n, 100n, 1000n],
  ['at most 1,000 rounds from now', 0n, 501n, 1000n],
])('a payment ends %s', (_what, lastRound, rounds, end) => {
  expect(paymentEnd(lastRound, rounds)).toBe(end);
});
