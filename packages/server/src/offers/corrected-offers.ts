import type { Offer } from './offer.ts';

/** The offers with a correction in the `extra` of those that are paid by channels. */
export function correctedOffers(offers: readonly Offer[], correction: object | undefined): readonly Offer[] {
  if (correction === undefined) return offers;
  return offers.map((offer) => {
    const { requirements } = offer;
    if (requirements.scheme !== 'batch-settlement') return offer;
    return { ...offer, requirements: { ...requirements, extra: { ...requirements.extra, ...correction } } };
  });
}
