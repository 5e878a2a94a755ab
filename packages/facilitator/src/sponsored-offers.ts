import type { FacilitatorNetwork } from '@avm402/avm/exact/facilitator';
import type { SponsoredOffers } from '@avm402/core/supported-response';

/** A longer list is not told: `/supported` stays small. */
const MAX_RECEIVERS = 1_000;

/** Whom the sponsor pays for, as `/supported` tells it; nothing where that is anybody, or nobody. */
export function sponsoredOffers(sponsor: FacilitatorNetwork['sponsor']): SponsoredOffers | undefined {
  if (sponsor === undefined || sponsor.anyone || sponsor.payTo.size > MAX_RECEIVERS) return undefined;
  const { payTo, assets, minAmount } = sponsor;
  return { payTo: [...payTo], assets: [...assets], minAmount: minAmount.toString() };
}
