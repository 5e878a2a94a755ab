import { EmbeddedNode } from './embedded-node.ts';
import { DevnodeError } from './errors.ts';
import { developmentGenesis } from './genesis/development-genesis.ts';
import { developmentUsdc } from './genesis/development-usdc.ts';
import { parseGenesis } from './genesis/genesis.ts';
import { Chain } from './ledger/chain.ts';
import type { BlockProduction, Node, NodeOptions } from './node.ts';
import { Producer } from './pool/producer.ts';

const DEFAULT_LOOKBACK = 4;
const DEFAULT_POOL_SIZE = 75_000;
const DEFAULT_BACKLOG_SIZE = 26_000;
const MAX_INTERVAL_MS = 2 ** 31 - 1;

/**
 * Boots a node from its genesis.
 * @throws DevnodeError `invalid_genesis` or `invalid_options`
 */
export function createNode(options: NodeOptions = {}): Node {
  const { genesis, network, blocks = 'instant', now = Date.now, strict = false } = options;
  if (genesis !== undefined && network !== undefined) {
    throw new DevnodeError('invalid_options', 'a genesis of your own has its own network: leave out one of the two');
  }
  checkInterval(blocks);
  const chain = new Chain(parseGenesis(genesis ?? developmentGenesis()), {
    network,
    overlay: genesis === undefined ? developmentUsdc : undefined,
    lookback: options.maxAcctLookback ?? DEFAULT_LOOKBACK,
  });
  const producer = new Producer(chain, {
    blocks,
    strict,
    txPoolSize: options.txPoolSize ?? DEFAULT_POOL_SIZE,
    backlogSize: options.backlogSize ?? DEFAULT_BACKLOG_SIZE,
    now,
  });
  return new EmbeddedNode({ chain, producer, developerApi: options.developerApi ?? true, now });
}

function checkInterval(blocks: BlockProduction): void {
  if (typeof blocks === 'string') return;
  const { everyMs } = blocks;
  if (Number.isInteger(everyMs) && everyMs >= 1 && everyMs <= MAX_INTERVAL_MS) return;
  throw new DevnodeError('invalid_options', `the time between blocks is a whole number of ms from 1, not ${everyMs}`);
}
