import { X402_VERSION } from '@avm402/core/payment-required';
import { X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork, networksEqual } from '@avm402/core/network';
import {
  type SponsoredOffers,
  sponsoredOffersOf,
  STORE_ID_HEADER,
  type SupportedResponse,
} from '@avm402/core/supported-response';
import type { Network, SupportedKind } from '@x402/core/types';

/** What is asked about: a scheme on a network in any spelling. */
export interface SchemeOnNetwork {
  readonly scheme: string;
  readonly network: Network;
}

/** The kind for a scheme and network, preferably in the same spelling. */
export function kindFor(supported: SupportedResponse, { scheme, network }: SchemeOnNetwork): SupportedKind | undefined {
  const kinds = supported.kinds.filter(
    (kind) => kind.x402Version === X402_VERSION && kind.scheme === scheme && networksEqual(kind.network, network),
  );
  return kinds.find((kind) => kind.network === network) ?? kinds[0];
}

/**
 * Which offers that name the fee payer are sponsored, if the facilitator reports it. Any spelling of the network will
 * do.
 */
export function sponsoredFor({ kinds }: SupportedResponse, { network }: SupportedKind): SponsoredOffers | undefined {
  const told = kinds.filter((kind) => kind.scheme === 'exact' && networksEqual(kind.network, network));
  return told.map(sponsoredOffersOf).find((offers) => offers !== undefined);
}

/** What a facilitator serves on Algorand networks, in its spellings. */
export function algorandKindsOf({ kinds }: SupportedResponse): readonly SupportedKind[] {
  return kinds.filter(({ x402Version, network }) => x402Version === X402_VERSION && isAlgorandNetwork(network));
}

/** Accounts that the facilitator signs with on a network. Any of them may be an offer's fee payer. */
export function signersFor(supported: SupportedResponse, network: Network): readonly string[] {
  const namespace = network.slice(0, network.indexOf(':'));
  return Object.entries(supported.signers)
    .filter(([pattern]) => pattern === `${namespace}:*` || (!pattern.endsWith(':*') && networksEqual(pattern, network)))
    .flatMap(([, signers]) => signers);
}

/** The store of a facilitator, by the id that its replicas share. Facilitators other than ours report none. */
interface StoreOf {
  readonly name: string;
  readonly storeId: string | undefined;
}

/**
 * Checks that several endpoints for one network share a store. Independent facilitators don't know each other's
 * settlements, so one payment could be redeemed at both.
 * @throws X402Error `facilitator_mismatch`
 */
export function checkSameStore(network: Network, members: readonly StoreOf[]): void {
  const ids = members.map(({ storeId }) => storeId);
  if (members.length < 2 || (ids[0] !== undefined && ids.every((id) => id === ids[0]))) return;
  const found = members.map(({ name }, index) => `${name}: ${ids[index] ?? 'none'}`).join(', ');
  throw new X402Error('facilitator_mismatch', {
    message: `several facilitators serve ${network}, but not on one store (${STORE_ID_HEADER} of ${found})`,
  });
}
