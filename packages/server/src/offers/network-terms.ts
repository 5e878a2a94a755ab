import { X402Error } from '@avm402/core/errors';
import { canonicalNetwork, networksEqual } from '@avm402/core/network';
import type { PaymentOption } from '@x402/core/http';
import type { Network } from '@x402/core/types';
import type { SchemeOnNetwork } from '../facilitator/supported-kinds.ts';
import { DEFAULT_SCHEMES, type NetworkSpelling, type NetworkTerms, type SchemeName } from '../routes/seller-price.ts';

/**
 * The offers of one network. `exact` comes in each spelling that the facilitator serves, the long one first, because
 * some clients know only that. The other schemes, which only newer clients know, come in the short one.
 * @param kinds what the facilitator serves on Algorand networks
 * @throws X402Error `unsupported_network`
 */
export function acceptsOnNetwork(
  kinds: readonly SchemeOnNetwork[],
  { network, schemes = DEFAULT_SCHEMES, spelling, ...terms }: NetworkTerms,
): PaymentOption[] {
  const served = kinds.filter(({ scheme }) => schemes.some((name) => name === scheme)).map((kind) => kind.network);
  const wanted = network === undefined ? served : served.filter((id) => networksEqual(id, network));
  const ids = new Set(wanted.map((id) => canonicalNetwork(id)));
  if (ids.size !== 1) throw noSingleNetwork(network, served);
  return schemes.flatMap((scheme) =>
    spellingsFor(scheme, kinds, { wanted, spelling }).map((id) => ({ ...terms, scheme, network: id })),
  );
}

interface WantedSpelling {
  readonly wanted: readonly Network[];
  readonly spelling: NetworkSpelling | undefined;
}

function spellingsFor(
  name: SchemeName,
  kinds: readonly SchemeOnNetwork[],
  { wanted, spelling }: WantedSpelling,
): Network[] {
  const ofScheme = kinds.filter(({ scheme, network }) => scheme === name && wanted.includes(network));
  const spellings = [...new Set(ofScheme.map(({ network }) => network))].sort((a, b) => b.length - a.length);
  if (name !== 'exact' || spelling === 'short') return spellings.slice(-1);
  return spelling === 'long' ? spellings.slice(0, 1) : spellings;
}

function noSingleNetwork(network: Network | undefined, served: readonly Network[]): X402Error {
  const list = served.length === 0 ? 'no Algorand network' : served.join(', ');
  return new X402Error('unsupported_network', {
    message:
      network === undefined
        ? `name the network to sell on: the facilitator serves ${list}`
        : `the network is ${network}, but the facilitator serves ${list}`,
  });
}
