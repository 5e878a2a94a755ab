import { expect, it, onTestFinished, vi } from 'vitest';
import { reporting } from '../src/payment-event.ts';

it.each<[string, () => unknown]>([
  [
    'at once',
    () => {
      throw new Error('the disk is full');
    },
  ],
  ['later', () => Promise.reject(new Error('the disk is full'))],
])('a listener that fails %s is told of on stderr, and ends nothing', async (_when, listener) => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => errors.mockRestore());
  reporting(listener)({ type: 'settled', route: 'GET /report', txId: 'TX', payer: 'P' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(errors.mock.calls).toEqual([['x402: GET /report TX: the disk is full']]);
});
