import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { ALGORAND_TESTNET, algorandNetworkLong, type Network } from '@avm402/core/network';
import { developmentAccounts, startDevnode } from '@avm402/devnode';
import { served } from '../served.ts';
import { type ChainAccess, type Make, makes, ours, type Payer } from './makes.ts';
import { openMandate } from '@avm402/stack/open-mandate';
import { usdcOf } from '@avm402/stack/balances';

const PRICE = 10_000n;
const accounts = developmentAccounts();
const payTo = accounts.merchant.address;

/** Both spellings of the network that is presented. */
const SPELLINGS: readonly Network[] = [ALGORAND_TESTNET, algorandNetworkLong(TESTNET.genesisHash)];

/** One way to put the roles together. */
export interface Mix {
  readonly client: Make;
  readonly server: Make;
  readonly facilitator: Make;
  readonly network: Network;
  readonly isUpfront: boolean;
  readonly isSponsored: boolean;
}

/** Every mix that there is of these makes. A facilitator that can't do without sponsoring is left out there. */
export function mixesOf(all: readonly Make[]): Mix[] {
  const flags = [false, true];
  const roles = all.flatMap((client) =>
    all.flatMap((server) => all.map((facilitator) => ({ client, server, facilitator }))),
  );
  const terms = SPELLINGS.flatMap((network) =>
    flags.flatMap((isUpfront) => flags.map((isSponsored) => ({ network, isUpfront, isSponsored }))),
  );
  return roles
    .flatMap((role) => terms.map((term) => ({ ...role, ...term })))
    .filter(({ facilitator, isSponsored }) => isSponsored || !facilitator.alwaysSponsors);
}

/** Each client with each server and each facilitator, once. `strangers`: how many of the three are not ours. */
export function plainMixes(): (Mix & { readonly strangers: number })[] {
  return mixesOf(makes)
    .filter(({ network, isUpfront, isSponsored }) => network === SPELLINGS[0] && !isUpfront && isSponsored)
    .map((mix) => ({
      ...mix,
      strangers: [mix.client, mix.server, mix.facilitator].filter((make) => make !== ours).length,
    }));
}

/** A TestNet-shaped chain on which mixes are tried. */
export interface Ground {
  /** `paid`: answered, and the price moved from the payer to the seller. Else what came instead. */
  attempt(mix: Mix): Promise<string>;
  /** The same, paid from a mandate. */
  attemptByMandate(mix: Mix): Promise<string>;
  stop(): Promise<void>;
}

export async function startGround(): Promise<Ground> {
  const node = await startDevnode({ port: 0, network: 'testnet' });
  const chain = { url: node.url, token: node.token };
  const algod = createAlgodClient(chain);
  const { mandate, agentKey } = await openMandate(chain, { slots: 1_000n, funds: 10_000_000n });
  const { privateKey, address } = accounts.payer;
  const at = { chain, algod };
  return {
    attempt: (mix) => attempt(mix, { ...at, payer: { privateKey }, address }),
    attemptByMandate: (mix) => attempt(mix, { ...at, payer: { mandate, agentKey }, address: mandate.address }),
    stop: () => node.stop(),
  };
}

interface Attempting {
  readonly chain: ChainAccess;
  readonly algod: AlgodClient;
  readonly payer: Payer;
  /** The account that the money leaves. */
  readonly address: string;
}

async function attempt(mix: Mix, { chain, algod, payer, address }: Attempting): Promise<string> {
  const { client, server, facilitator, isSponsored, ...sale } = mix;
  await using open = new AsyncDisposableStack();
  const settling = await facilitator.facilitator({ spellings: SPELLINGS, isSponsor: isSponsored, chain });
  open.defer(() => settling.stop());
  const shop = await served(server.server({ ...sale, payTo }, settling.url));
  open.defer(() => shop.stop());
  const fetchPaid = client.client(payer, chain);
  const before = await balances(algod, address);
  const outcome = await statusOf(fetchPaid, `${shop.url}/weather`);
  const after = await balances(algod, address);
  const moved = [before.payer - after.payer, after.seller - before.seller];
  if (outcome !== '200') return moved.every((amount) => amount === 0n) ? outcome : `${outcome}, but paid`;
  return moved.every((amount) => amount === PRICE) ? 'paid' : `200, but ${moved.join(' and ')} moved`;
}

async function statusOf(fetchPaid: typeof fetch, url: string): Promise<string> {
  try {
    return String((await fetchPaid(url)).status);
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 80) : String(error);
  }
}

async function balances(algod: AlgodClient, payer: string) {
  return { payer: await usdcOf(algod, payer), seller: await usdcOf(algod, payTo) };
}
