import { setTimeout } from 'node:timers/promises';
import { HTTPFacilitatorClient } from '@x402/core/server';
import type { Network } from '@x402/core/types';
import { type Config, ConfigurationError } from './config.ts';

const ATTEMPTS = 20;
const PAUSE_MS = 500;
const TIMEOUT_MS = 5_000;
const PREFIX = 'algorand:';
/** Characters of a genesis hash that make the short form of a network id. */
const SHORT = 32;

/**
 * The network that is sold on, in every spelling that the facilitator serves, the long one first: some clients know
 * only that. Throws a ConfigurationError if the facilitator serves none, or several and AVM_NETWORK names none of them.
 */
export async function offeredNetworks({ facilitatorUrl, network }: Config): Promise<readonly Network[]> {
  const served = await servedNetworks(facilitatorUrl);
  const wanted = network === undefined ? served : served.filter((id) => shortForm(id) === shortForm(network));
  const ids = [...new Set(wanted.map(shortForm))];
  if (ids.length === 1) return [...new Set(wanted)].sort((one, other) => other.length - one.length);
  const list = served.length === 0 ? 'no Algorand network' : served.join(', ');
  throw new ConfigurationError(
    network === undefined
      ? `AVM_NETWORK must name the network: the facilitator at ${facilitatorUrl} serves ${list}`
      : `AVM_NETWORK is ${network}, but the facilitator at ${facilitatorUrl} serves ${list}`,
  );
}

async function servedNetworks(url: string): Promise<readonly Network[]> {
  const facilitator = new HTTPFacilitatorClient({ url, timeoutMs: TIMEOUT_MS });
  for (let attempt = 1; ; attempt++) {
    try {
      const { kinds } = await facilitator.getSupported();
      const exact = kinds.filter(({ x402Version, scheme }) => x402Version === 2 && scheme === 'exact');
      return exact.map(({ network }) => network).filter((network) => network.startsWith(PREFIX));
    } catch (cause) {
      if (attempt === 3) console.error(`weather: waiting for the facilitator at ${url} …`);
      if (attempt === ATTEMPTS) throw new ConfigurationError(`the facilitator at ${url} does not answer`, { cause });
    }
    await setTimeout(PAUSE_MS);
  }
}

function shortForm(network: string): string {
  return network
    .slice(0, PREFIX.length + SHORT)
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}
