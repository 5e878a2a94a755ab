import { networksEqual } from '@avm402/core/network';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Offer } from './offers/offer.ts';

/**
 * The offer that `accepted` names, in the payment's own spelling of network and fee payer: by scheme, network (in any
 * spelling), asset, amount and receiver, and by the fee payer that is named. The rest of `extra` is ignored, for clients
 * keep different parts of it.
 */
export function matchPayment(offers: readonly Offer[], { accepted }: PaymentPayload): PaymentRequirements | undefined {
  const matching = offers.filter((offer) => accepts(offer, accepted));
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

function accepts({ requirements, feePayers }: Offer, accepted: PaymentRequirements): boolean {
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
