import type { FacilitatorNetwork } from '@avm402/avm/sponsorship';
import { canonicalNetwork, type Network } from '@avm402/core/network';
import { X402_VERSION } from '@avm402/core/payment-required';
import type { SponsoredOffers, SupportedResponse } from '@avm402/core/supported-response';

/** A longer list is left out, so that `/supported` stays small. */
const MAX_RECEIVERS = 1_000;

/** A scheme of this facilitator, and the `extra` that its offers need; `undefined` where it is not served. */
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
 * The kinds of `/supported`: the schemes of each network. Only the long form of a network says whom the sponsor pays
 * for. The strictest reader reads the short form, and if `extra` has a member that it doesn't know, it drops the whole
 * `extra`, fee payer included.
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

/** The payments that are sponsored, for `/supported`; undefined if anybody's are, or nobody's. */
function sponsoredOffers(sponsor: FacilitatorNetwork['sponsor']): SponsoredOffers | undefined {
  if (sponsor === undefined || sponsor.anyone || sponsor.payTo.size > MAX_RECEIVERS) return undefined;
  const { payTo, assets, minAmount } = sponsor;
  return { payTo: [...payTo], assets: [...assets], minAmount: minAmount.toString() };
}
