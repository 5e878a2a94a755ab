import type { ChannelTerms } from '@avm402/avm/batch-settlement';
import { boundedTerms } from '@avm402/avm/batch-settlement/client';
import { isX402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { Refusal } from '../budget/spend-policy.ts';

/** The terms of a channel, or the reason why they are not accepted. */
export function offeredTerms(requirements: PaymentRequirements): ChannelTerms | Refusal {
  try {
    return boundedTerms(requirements);
  } catch (error) {
    if (isX402Error(error)) return { kind: 'policy', reason: error.message };
    throw error;
  }
}
