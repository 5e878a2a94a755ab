import { namesOffer } from '@avm402/core/accepted-offer';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Offer } from './offer.ts';

/** The offer that `accepted` names, in the payment's own spelling of network and fee payer. */
export function matchPayment(offers: readonly Offer[], { accepted }: PaymentPayload): PaymentRequirements | undefined {
  const matching = offers.filter((offer) => namesOffer(accepted, offer));
  const offer = matching.find(({ requirements }) => requirements.network === accepted.network) ?? matching[0];
  if (offer === undefined) return undefined;
  const { network, extra } = accepted;
  const { feePayer = offer.requirements.extra['feePayer'] } = extra;
  return {
    ...offer.requirements,
    network,
    extra: { ...offer.requirements.extra, ...(feePayer !== undefined && { feePayer }) },
  };
}
