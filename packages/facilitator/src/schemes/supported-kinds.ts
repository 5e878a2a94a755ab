import type { FacilitatorNetwork } from '@avm402/avm/exact/facilitator';
import { canonicalNetwork, type Network } from '@avm402/core/network';
import { X402_VERSION } from '@avm402/core/payment-required';
import type { SponsoredOffers, SupportedResponse } from '@avm402/core/supported-response';

/** A longer list is not told: `/supported` stays small. */
const MAX_RECEIVERS = 1_000;

/** A scheme of this facilitator, and what an offer of it needs; `undefined` where it is not served. */
interface OfferedScheme {
  readonly scheme: string;
  getExtra(network: Network): Record<string, unknown> | undefined;
}

export interface SupportedKindsOptions {
  readonly networks: readonly Network[];
  /** Served on every network, with a fee payer or without. */
  readonly exact: OfferedScheme;
  readonly others: readonly OfferedScheme[];
  readonly sponsorOn: (network: Network) => FacilitatorNetwork['sponsor'];
}

/**
 * The kinds of `/supported`: the schemes of each network. Whom the sponsor pays for is told by the long spelling alone: the
 * strictest reader reads the short one, and drops a whole `extra`, fee payer included, for a member that it doesn't know.
 */
export function supportedKinds(options: SupportedKindsOptions): SupportedResponse['kinds'] {
  const { networks, exact, others, sponsorOn } = options;
  return networks.flatMap((network) => {
    const kindOf = ({ scheme }: OfferedScheme, extra: Record<string, unknown>) => ({
      x402Version: X402_VERSION,
      scheme,
      network,
      extra,
    });
    const rest = others.flatMap((scheme) => {
      const extra = scheme.getExtra(network);
      return extra === undefined ? [] : [kindOf(scheme, extra)];
    });
    const sponsored = network === canonicalNetwork(network) ? undefined : sponsoredOffers(sponsorOn(network));
    return [kindOf(exact, { ...exact.getExtra(network), ...(sponsored && { sponsored }) }), ...rest];
  });
}

/** Whom the sponsor pays for, as `/supported` tells it; nothing where that is anybody, or nobody. */
function sponsoredOffers(sponsor: FacilitatorNetwork['sponsor']): SponsoredOffers | undefined {
  if (sponsor === undefined || sponsor.anyone || sponsor.payTo.size > MAX_RECEIVERS) return undefined;
  const { payTo, assets, minAmount } = sponsor;
  return { payTo: [...payTo], assets: [...assets], minAmount: minAmount.toString() };
}
