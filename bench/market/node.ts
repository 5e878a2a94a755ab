import { createAlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { createDevControls } from '@avm402/devnode';
import type { Program } from '@avm402/stack/program';
import * as programs from '@avm402/stack/programs';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { merchant, payers, sponsor } from './accounts.ts';

/** A block at once for every submission, shared by those that come together; one for each; every 2.8 s; when asked for. */
export type Blocks = 'instant' | 'each' | 'slow' | 'manual';

const FLAGS: Readonly<Record<Blocks, readonly string[]>> = {
  instant: [],
  // Stock's payments live ten rounds; where such ones come at the same time, blocks would keep a distance otherwise.
  each: ['--strict'],
  slow: ['--block-time', '2.8s'],
  manual: ['--manual'],
};

/** A node that both sides share. */
export type BenchNode = Awaited<ReturnType<typeof startNode>>;

/** Stock payments live ten rounds, so that more than five of them at once need blocks that take their time. */
export function blocksFor(concurrency: number): Blocks {
  return concurrency <= 5 ? 'each' : 'slow';
}

/** How long a stock client may keep its parameters: where a block comes with each payment, not long. */
function keepParamsMs(blocks: Blocks): string {
  return blocks === 'instant' || blocks === 'each' ? '10' : '3000';
}

/** The embedded node as TestNet, the only public network beside MainNet that the stock packages know. */
export function startNodeProgram(blocks: Blocks): Promise<Program> {
  return programs.startNode('--network', 'testnet', '--quiet', ...FLAGS[blocks]);
}

/** Starts a node and gives ALGO and USDC to its accounts. */
export async function startNode(blocks: Blocks) {
  const program = await startNodeProgram(blocks);
  const { url } = program;
  const controls = createDevControls({ url, token: NODE_TOKEN });
  for (const { address } of [merchant, sponsor, ...payers]) {
    await controls.fund(address, 1_000_000_000_000n);
    await controls.deal(address, TESTNET.usdcAssetId, 1_000_000_000n);
  }
  /** The sum of the node's counters of this name, but for questions about them. */
  const counter = async (name: string): Promise<number> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const lines = metrics.split('\n').filter((line) => line.startsWith(name) && !line.includes('route="/metrics"'));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  return {
    program,
    url,
    controls,
    counter,
    /** Requests answered so far. */
    calls: () => counter('algod_rest_requests_total'),
    algod: createAlgodClient({ url, token: NODE_TOKEN }),
    /** Variables by which a program finds the node, and how long a stock client may keep its parameters, ms. */
    environment: { ALGOD_URL: url, ALGOD_TOKEN: NODE_TOKEN, KEEP_PARAMS_MS: keepParamsMs(blocks) },
    stop: () => program.stop(),
  };
}
