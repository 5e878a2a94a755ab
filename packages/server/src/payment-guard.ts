import type { PaymentRequirements } from '@x402/core/types';
import type { HTTPRequestContext } from '@x402/core/server';

/** A verified payment that is about to be claimed. */
export interface GuardedPayment {
  readonly payer: string;
  readonly txId: string;
  readonly requirements: PaymentRequirements;
  readonly context: HTTPRequestContext;
}

/**
 * Decides whether a verified payment is taken. Returning `{ refuse }` answers 403 with that reason; throwing goes to the
 * app's error handler. In both cases nothing runs and nothing is charged.
 */
export type PaymentGuard = (
  payment: GuardedPayment,
) => Promise<void | { readonly refuse: string }> | void | { readonly refuse: string };
