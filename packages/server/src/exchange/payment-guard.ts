import { X402Error } from '@avm402/core/errors';
import type { HTTPRequestContext } from '@x402/core/server';
import type { PaymentRequirements } from '@x402/core/types';

/**
 * A payment that is about to be claimed. It is verified, or on an upfront route signed by its payer and settled next.
 */
export interface GuardedPayment {
  readonly payer: string;
  readonly txId: string;
  readonly requirements: PaymentRequirements;
  readonly context: HTTPRequestContext;
}

/**
 * Accepts or refuses a payment. Return `{ refuse: reason }` to answer 403 with that reason; an error that it
 * throws goes to the app's error handler. In both cases no handler runs and nothing is charged.
 */
export type PaymentGuard = (
  payment: GuardedPayment,
) => Promise<void | { readonly refuse: string }> | void | { readonly refuse: string };

/**
 * Lets the seller's own guard refuse a payment.
 * @throws X402Error `payment_refused`
 */
export async function guardPayment(guard: PaymentGuard | undefined, payment: GuardedPayment): Promise<void> {
  const { payer, txId, requirements, context } = payment;
  const refusal = await guard?.({ payer, txId, requirements, context });
  if (refusal) throw new X402Error('payment_refused', { message: refusal.refuse });
}
