import type { Offer } from './offer.ts';

/** What a 402 says about a payer's standing with one scheme. It goes into the `extra` of that scheme's offers. */
export interface OfferCorrection {
  readonly scheme: string;
  readonly extra: object;
}

/** The offers with a correction applied. */
export function correctedOffers(offers: readonly Offer[], correction: OfferCorrection | undefined): readonly Offer[] {
  return offers.map((offer) => {
    const { requirements } = offer;
    if (requirements.scheme !== correction?.scheme) return offer;
    return { ...offer, requirements: { ...requirements, extra: { ...requirements.extra, ...correction.extra } } };
  });
}
