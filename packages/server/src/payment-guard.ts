import type { PaymentRequirements } from '@x402/core/types';
import type { HTTPRequestContext } from '@x402/core/server';

/** A payment that is about to be claimed: verified, or on an upfront route signed by its payer and settled next. */
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
