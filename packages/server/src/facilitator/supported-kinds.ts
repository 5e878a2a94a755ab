import { X402_VERSION } from '@avm402/core/payment-required';
import { X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork, networksEqual } from '@avm402/core/network';
import type { SupportedResponse } from '@avm402/core/supported-response';
import type { Network, SupportedKind } from '@x402/core/types';

const SCHEME = 'exact';

/** The kind for a network, in any spelling; its own spelling first. */
export function kindFor(supported: SupportedResponse, network: string): SupportedKind | undefined {
  const kinds = supported.kinds.filter(
    (kind) => kind.x402Version === X402_VERSION && kind.scheme === SCHEME && sameNetwork(kind.network, network),
  );
  return kinds.find((kind) => kind.network === network) ?? kinds[0];
}

/** The networks of the scheme, in the spellings of the facilitator. */
export function networksOf(supported: SupportedResponse): readonly Network[] {
  return supported.kinds
    .filter(({ x402Version, scheme }) => x402Version === X402_VERSION && scheme === SCHEME)
    .map(({ network }) => network)
    .filter(isAlgorandNetwork);
}

/** Accounts that the facilitator signs with on a network: any of them may be the fee payer of an offer. */
export function signersFor(supported: SupportedResponse, network: Network): readonly string[] {
  const namespace = network.slice(0, network.indexOf(':'));
  return Object.entries(supported.signers)
    .filter(([pattern]) => pattern === `${namespace}:*` || (!pattern.endsWith(':*') && sameNetwork(pattern, network)))
    .flatMap(([, signers]) => signers);
}

/** The id of the store behind a facilitator; replicas on one store have one id. Facilitators of others have none. */
export function storeIdOf(kind: SupportedKind): string | undefined {
  const storeId = kind.extra?.['storeId'];
  return typeof storeId === 'string' && storeId !== '' ? storeId : undefined;
}

/**
 * Several endpoints for one network must be replicas on one store: two independent facilitators can't know of each
 * other's settlements, and one payment could be redeemed at both.
 * @throws X402Error `facilitator_mismatch`
 */
export function checkSameStore(kinds: readonly { readonly name: string; readonly kind: SupportedKind }[]): void {
  const ids = kinds.map(({ kind }) => storeIdOf(kind));
  if (kinds.length < 2 || (ids[0] !== undefined && ids.every((id) => id === ids[0]))) return;
  const found = kinds.map(({ name }, index) => `${name}: ${ids[index] ?? 'none'}`).join(', ');
  throw new X402Error('facilitator_mismatch', {
    message: `several facilitators serve ${kinds[0]?.kind.network ?? ''}, but not on one store (extra.storeId of ${found})`,
  });
}

function sameNetwork(a: string, b: string): boolean {
  try {
    return networksEqual(a, b);
  } catch {
    return a === b;
  }
}
