import { networksEqual } from './network.ts';
import type { PaymentRequirements } from './payment-requirements.ts';

/** An offer as far as it decides which payments match it. */
export interface PayableOffer {
  readonly requirements: PaymentRequirements;
  /** Every fee payer that a payment for the offer may name. */
  readonly feePayers: readonly string[];
}

/**
 * Whether a payment's `accepted` matches this offer: its scheme, network (in any spelling), asset, amount and receiver,
 * and the fee payer if it names one. The rest of `extra` is ignored, because clients keep different parts of it.
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
