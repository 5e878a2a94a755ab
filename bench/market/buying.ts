import { startClient } from './client.ts';
import type { Side } from '../measure/compare.ts';
import { blocksFor, startNode, type BenchNode } from './node.ts';
import { payers } from './accounts.ts';
import { MAKES, openShop, type Make, type Shop } from './roles.ts';
import type { Bench } from '../scenario.ts';

/** The keys of this many workers; each pays from its own account. */
export const keysOf = (workers: number): string[] => payers.slice(0, workers).map(({ privateKey }) => privateKey);

export interface Buying {
  readonly environment: Readonly<Record<string, string>>;
  readonly shop: Shop;
  readonly path: string;
  /** Whose client buys. Default: that of the shop's make. */
  readonly client?: Make;
  readonly workers: number;
  /** Requests of a slice. */
  readonly requests: number;
  /** See `LoadOptions.paceMs`. */
  readonly paceMs?: number;
}

/** A side whose client buys at a shop. */
export async function buyerSide(bench: Bench, make: Make, buying: Buying): Promise<Side> {
  const { environment, shop, path, client: whose = make, workers, requests, paceMs } = buying;
  const client = await bench.own(startClient(whose, environment));
  const job = { url: `${shop.url}${path}`, privateKeys: keysOf(workers), operations: requests, paceMs };
  return { name: make, pids: [client.pid, ...shop.pids], run: () => client.run(job) };
}

export interface Purchases {
  readonly case: string;
  readonly path: string;
  readonly concurrency: number;
  /** The sellers on our side. Default: a server and a facilitator. */
  readonly openOurs?: (bench: Bench, node: BenchNode) => Promise<Shop>;
  /** Variables of our client beside the node’s. */
  readonly ourClient?: Readonly<Record<string, string>>;
}

/** Whole paid requests, ours beside stock's. Where a block takes its time, so does a slice: it has fewer of them. */
export async function comparePurchases(bench: Bench, purchases: Purchases) {
  const { case: name, path, concurrency, openOurs, ourClient } = purchases;
  const blocks = blocksFor(concurrency);
  const node = await bench.own(startNode(blocks));
  const sides: Side[] = [];
  for (const make of MAKES) {
    const shop = make === 'ours' && openOurs ? await openOurs(bench, node) : await openShop(bench, make, node);
    const quick = (make === 'ours' ? 200 : 40) / (bench.full ? 1 : 2);
    // Ours wait for a block each, stock's for two.
    const requests = blocks === 'slow' ? (make === 'ours' ? 3 : 2) * concurrency : quick;
    const environment = { ...node.environment, ...(make === 'ours' && ourClient) };
    sides.push(await buyerSide(bench, make, { environment, shop, path, workers: concurrency, requests }));
  }
  await bench.compare({ case: name, sides, rounds: 5, warmUpMs: 15_000, nodeCalls: node.calls });
}
