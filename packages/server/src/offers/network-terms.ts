import { setTimeout } from 'node:timers/promises';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { canonicalNetwork, networksEqual } from '@avm402/core/network';
import type { PaymentOption } from '@x402/core/http';
import type { Network } from '@x402/core/types';
import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';

/** What a route asks for on one network. */
export interface NetworkTerms extends Omit<PaymentOption, 'scheme' | 'network'> {
  /** CAIP-2, in any spelling. Default: the only Algorand network that the facilitator serves. */
  readonly network?: Network | undefined;
}

/** A facilitator that is started with the seller needs a moment. */
const WAIT_MS = 10_000;
const PAUSE_MS = 500;

/**
 * The offers of one network in each spelling that the facilitator serves, the long one first: some clients know only that.
 * @throws X402Error `unsupported_network`, `facilitator_unreachable`
 */
export async function acceptsOnNetwork(
  pool: FacilitatorPool,
  { network, ...terms }: NetworkTerms,
): Promise<PaymentOption[]> {
  const served = await servedNetworks(pool);
  const wanted = network === undefined ? served : served.filter((id) => networksEqual(id, network));
  const ids = new Set(wanted.map((id) => canonicalNetwork(id)));
  if (ids.size !== 1) throw noSingleNetwork(network, served);
  return [...new Set(wanted)]
    .sort((one, other) => other.length - one.length)
    .map((spelling) => ({ ...terms, scheme: 'exact', network: spelling }));
}

async function servedNetworks(pool: FacilitatorPool): Promise<readonly Network[]> {
  for (const deadline = performance.now() + WAIT_MS; ;) {
    try {
      return await pool.networks();
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
