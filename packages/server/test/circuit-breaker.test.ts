import { expect, it } from 'vitest';
import { CircuitBreaker } from '../src/facilitator/circuit-breaker.ts';

it('an endpoint that failed is left alone for five seconds', () => {
  let now = 1_000_000_000;
  const breaker = new CircuitBreaker(() => now);
  for (let count = 0; count < 5; count++) breaker.failed();
  expect(breaker.isOpen).toBe(true);
  now += 5_000;
  expect(breaker.isOpen).toBe(false);
  breaker.failed();
  expect(breaker.isOpen).toBe(true);
});
