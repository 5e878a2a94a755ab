import type { FacilitatorNetwork } from '@avm402/avm/exact/facilitator';
import type { Network } from '@avm402/core/network';
import type { SupportedResponse } from '@avm402/core/supported-response';

/** A longer list is not told: `/supported` stays small. */
const MAX_RECEIVERS = 1_000;

/** Whom the sponsor pays for, as `/supported` tells it; nothing of networks where that is anybody, or nobody. */
export function sponsoredOffers(
  served: ReadonlyMap<Network, Pick<FacilitatorNetwork, 'sponsor'>>,
): Pick<SupportedResponse, 'sponsored'> {
  const told = [...served].flatMap(([network, { sponsor }]) => {
    if (sponsor === undefined || sponsor.anyone || sponsor.payTo.size > MAX_RECEIVERS) return [];
    const { payTo, assets, minAmount } = sponsor;
    return [{ network, offers: { payTo: [...payTo], assets: [...assets], minAmount: minAmount.toString() } }];
  });
  if (told.length === 0) return {};
  return { sponsored: Object.fromEntries(told.map(({ network, offers }) => [network, offers])) };
}
