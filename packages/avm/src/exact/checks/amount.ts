import { X402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { ExactPayment } from './group-shape.ts';

/**
 * Exactly the amount asked for is transferred, and it is not zero: a transfer of nothing succeeds on chain without
 * balance, opt-in or even an asset. Throws X402Error `invalid_exact_avm_amount_mismatch`.
 */
export function checkAmount({ transferTransaction }: ExactPayment, { amount }: PaymentRequirements): void {
  if (transferTransaction.amount > 0n && String(transferTransaction.amount) === amount) return;
  throw new X402Error('invalid_exact_avm_amount_mismatch', {
    message: `${amount} atomic units are asked for, ${transferTransaction.amount} are transferred`,
  });
}
