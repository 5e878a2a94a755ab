import { expect, it } from 'vitest';
import { firstDifference } from './pages.ts';

const real = 'HTTP/1.1 402 Payment Required\nX-Powered-By: nobody\npayment-required: eyJ4\n\n{}\n';

it('what is shown happened if its lines come in order, with any text for …', () => {
  expect(firstDifference(['HTTP/1.1 402 Payment Required', '…', 'payment-required: …'], real)).toBeUndefined();
});

it('a shown line that did not happen is found', () => {
  expect(firstDifference(['HTTP/1.1 200 OK'], real)).toBe('HTTP/1.1 200 OK');
});

it('shown lines in another order are found', () => {
  expect(firstDifference(['payment-required: …', 'HTTP/1.1 402 …'], real)).toBe('HTTP/1.1 402 …');
});
