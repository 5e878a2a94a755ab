import { setTimeout } from 'node:timers/promises';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { canonicalNetwork, networksEqual } from '@avm402/core/network';
import type { PaymentOption } from '@x402/core/http';
import type { Network } from '@x402/core/types';
import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';
import type { SchemeOnNetwork } from '../facilitator/supported-kinds.ts';

/** What a route charges on one network. */
export interface NetworkTerms extends Omit<PaymentOption, 'scheme' | 'network'> {
  /** CAIP-2, in any spelling. Default: the only Algorand network that the facilitator serves. */
  readonly network?: Network | undefined;
  /**
   * The schemes to sell by: `exact`, `batch-settlement` (by channels) and `upto` (at most the price). Those that the
   * facilitator serves are offered. Default: `exact`.
   */
  readonly schemes?: readonly SchemeName[];
  /** Offers `exact` in this spelling of the network only. Default: in each that the facilitator serves. */
  readonly spelling?: NetworkSpelling;
}

/** A CAIP-2 id with the first 32 characters of the genesis hash, or with all 44. */
type NetworkSpelling = 'short' | 'long';

type SchemeName = 'exact' | 'batch-settlement' | 'upto';

/** A facilitator that is started together with the seller needs a moment. */
const WAIT_MS = 10_000;
const PAUSE_MS = 500;

/**
 * The offers of one network. `exact` comes in each spelling that the facilitator serves, the long one first, because
 * some clients know only that. The other schemes, which only newer clients know, come in the short one.
 * @throws X402Error `unsupported_network`, `facilitator_unreachable`
 */
export async function acceptsOnNetwork(
  pool: FacilitatorPool,
  { network, schemes = ['exact'], spelling, ...terms }: NetworkTerms,
): Promise<PaymentOption[]> {
  const kinds = await servedKinds(pool);
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

async function servedKinds(pool: FacilitatorPool): Promise<readonly SchemeOnNetwork[]> {
  for (const deadline = performance.now() + WAIT_MS; ;) {
    try {
      return await pool.algorandKinds();
    } catch (error) {
      if (!isX402Error(error) || performance.now() > deadline) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

function noSingleNetwork(network: Network | undefined, served: readonly Network[]): X402Error {
  const list = served.length === 0 ? 'no Algorand network' : served.join(', ');
  return new X402Error('unsupported_network', {
    message:
      network === undefined
        ? `name the network that is sold on: the facilitator serves ${list}`
        : `the network is ${network}, but the facilitator serves ${list}`,
  });
}
