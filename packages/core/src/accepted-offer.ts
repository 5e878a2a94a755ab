import { networksEqual } from './network.ts';
import type { PaymentRequirements } from './payment-requirements.ts';

/** What decides which payments are for an offer. */
export interface PayableOffer {
  readonly requirements: PaymentRequirements;
  /** Every fee payer that a payment of it may name. */
  readonly feePayers: readonly string[];
}

/**
 * Whether a payment's `accepted` names this offer: by scheme, network (in any spelling), asset, amount and receiver, and by
 * the fee payer that is named. The rest of `extra` is ignored, for clients keep different parts of it.
 * @example
 * ```ts
 * import { namesOffer } from '@avm402/core/accepted-offer';
 * import type { PaymentPayload } from '@avm402/core/payment-payload';
 * import type { PaymentRequired } from '@avm402/core/payment-required';
 *
 * const isOffered = ({ accepts }: PaymentRequired, { accepted }: PaymentPayload) =>
 *   accepts.some((requirements) => namesOffer(accepted, { requirements, feePayers: [String(requirements.extra['feePayer'])] }));
 * ```
 */
export function namesOffer(accepted: PaymentRequirements, { requirements, feePayers }: PayableOffer): boolean {
  const { feePayer } = accepted.extra;
  const isSponsor = typeof feePayer !== 'string' || feePayers.includes(feePayer);
  return (
    requirements.scheme === accepted.scheme &&
    networksEqual(requirements.network, accepted.network) &&
    requirements.asset === accepted.asset &&
    requirements.amount === accepted.amount &&
    requirements.payTo === accepted.payTo &&
    isSponsor
  );
}
