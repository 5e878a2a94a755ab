import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/**
 * No lease: of several payments under one lease only one can settle, whatever verification said of the others.
 * Throws X402Error `invalid_exact_avm_lease`.
 */
export function checkLease({ transferTransaction }: ExactPayment): void {
  if (transferTransaction.lease === undefined) return;
  throw new X402Error('invalid_exact_avm_lease', { message: 'the payment must not hold a lease (lx)' });
}
