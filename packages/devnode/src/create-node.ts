import { EmbeddedNode } from './embedded-node.ts';
import { DevnodeError } from './errors.ts';
import { developmentGenesis, developmentGenesisAsTestNet } from './genesis/development-genesis.ts';
import { developmentUsdc } from './dev/development-usdc.ts';
import { parseGenesis, type Genesis } from './genesis/genesis.ts';
import { Chain } from './ledger/chain.ts';
import type { Node, NodeOptions } from './node.ts';
import { Pool } from './pool/pool.ts';
import { BlockProducer, type BlockProduction } from './production/block-producer.ts';
import { DevClock } from './production/dev-clock.ts';
import { Submissions } from './submission/submissions.ts';
import { Programs } from './verify/programs.ts';

const DEFAULTS = {
  blocks: 'instant',
  strict: false,
  developerApi: true,
  maxAcctLookback: 4,
  txPoolSize: 75_000,
  backlogSize: 26_000,
  now: Date.now,
  onInternalError: (error: unknown) => console.error('internal error:', error),
} as const;

const MAX_INTERVAL_MS = 2 ** 31 - 1;

/**
 * Boots a node from its genesis.
 * @throws DevnodeError `invalid_genesis` or `invalid_options`
 */
export function createNode(options: NodeOptions = {}): Node {
  const {
    maxAcctLookback: lookback,
    developerApi,
    blocks: mode,
    now,
    onInternalError,
    ...rest
  } = { ...DEFAULTS, ...options };
  checkInterval(mode);
  // Differs from algod: development-usdc
  const overlay = options.genesis === undefined ? developmentUsdc : undefined;
  const chain = new Chain(genesisOf(options), { overlay, lookback });
  const programs = new Programs(chain);
  const pool = new Pool(chain, { maxTransactions: rest.txPoolSize });
  const clock = new DevClock({ now, devMode: chain.genesis.devMode });
  const blocks = new BlockProducer({ chain, pool, mode, clock, onInternalError });
  const { parameters, feeSink, rewardsPool } = chain.genesis;
  const verification = { parameters, feeSink, rewardsPool, programs };
  const submissions = new Submissions({ ...rest, pool, blocks, verification, onInternalError });
  return new EmbeddedNode({ chain, pool, blocks, submissions, clock, programs, developerApi, now });
}

function genesisOf({ genesis, network }: NodeOptions): Genesis {
  if (genesis === undefined) {
    return network === 'testnet' ? developmentGenesisAsTestNet() : parseGenesis(developmentGenesis());
  }
  if (network === undefined) return parseGenesis(genesis);
  throw new DevnodeError('invalid_options', 'a genesis of your own has its own network: leave out one of the two');
}

function checkInterval(blocks: BlockProduction): void {
  if (typeof blocks === 'string') return;
  const { everyMs } = blocks;
  if (Number.isInteger(everyMs) && everyMs >= 1 && everyMs <= MAX_INTERVAL_MS) return;
  throw new DevnodeError('invalid_options', `the time between blocks is a whole number of ms from 1, not ${everyMs}`);
}
