import type { AlgodClient } from '@avm402/algorand/algod';
import { isDevelopmentGenesisId } from '@avm402/algorand/networks';
import { algorandNetwork, algorandNetworkLong, type Network } from '@avm402/core/network';
import type { AlgodNode } from './algod-node.ts';
import { AlgodPool } from './algod-pool.ts';
import type { Log } from '../log/log.ts';
import { RoundWatcher } from './round-watcher.ts';
import type { TroubleLog } from '../log/trouble-log.ts';

/** One connected network: its nodes and the watch over its rounds. */
export interface Chain {
  /** CAIP-2, short form. */
  readonly network: Network;
  /** CAIP-2, with all 44 characters of the genesis hash. */
  readonly longNetwork: Network;
  readonly genesisHash: string;
  /** Whether its genesis id is that of a development network, whose rounds may fall. */
  readonly development: boolean;
  readonly pool: AlgodPool;
  readonly watcher: RoundWatcher;
  /** Resolves when the store knows of the last time that a development node went back: a row takes its round from there. */
  readonly lowered: () => Promise<void>;
}

/** The place where a network's highest round is stored. */
interface RoundStore {
  raiseRound(network: Network, round: bigint): Promise<void>;
  lowerRound(network: Network, round: bigint): Promise<void>;
}

export interface ConnectOptions {
  /** The network's algods, in order of preference. */
  readonly algods: readonly AlgodClient[];
  /** CAIP-2 id that the algods must serve. Default: that of the first one that answers. */
  readonly network?: string;
  readonly store: RoundStore;
  /** Called when a development node went back to a lower round. */
  readonly onBack: () => void;
  readonly log: Log;
  readonly troubles: TroubleLog;
  readonly now: () => number;
}

const NOT_WRITTEN = 'the highest round could not be written';

/**
 * Connects to a network's nodes and begins to watch its rounds.
 * @throws X402Error `algod_unreachable`, `algod_wrong_genesis`, `algod_token_refused`
 */
export async function connectChain(options: ConnectOptions): Promise<Chain> {
  const { algods, network: expected, store, log, troubles, now } = options;
  const watch: { watcher?: RoundWatcher } = {};
  let raised: Promise<unknown> = Promise.resolve();
  let lowered = Promise.resolve();
  const pool = new AlgodPool({
    clients: algods,
    ...(expected !== undefined && { network: expected }),
    onFail: (node) => watch.watcher?.leave(node),
    onFall,
    log,
    troubles,
    now,
  });
  const { genesisHash, genesisId } = await pool.connect();
  const network = algorandNetwork(genesisHash);
  const development = isDevelopmentGenesisId(genesisId);
  const logFailure = (error: unknown): void => troubles.happened(NOT_WRITTEN, { network, err: error }, network);
  const logSuccess = (): void =>
    troubles.isOver(NOT_WRITTEN, 'the highest round is written again', { network }, network);
  const onRound = (round: bigint): void => {
    raised = Promise.all([raised, store.raiseRound(network, round).then(logSuccess, logFailure)]);
  };
  const watcher = new RoundWatcher({ pool, development, onRound, log });
  watch.watcher = watcher;
  // A development node may have been reset since the store was written.
  if (development) await store.lowerRound(network, pool.lastRound);
  await store.raiseRound(network, pool.lastRound);
  watcher.start();
  const longNetwork = algorandNetworkLong(genesisHash);
  return { network, longNetwork, genesisHash, development, pool, watcher, lowered: () => lowered };

  function onFall(node: AlgodNode, from: bigint): void {
    if (watch.watcher === undefined) return;
    log.warn({ network, from: Number(from), to: Number(node.lastRound), development }, "a node's round fell");
    if (!development) return;
    const round = pool.lastRound;
    // Payments go first: they decide where the watch looks for them.
    options.onBack();
    watcher.rewind(round);
    // After the writes of higher rounds that are under way.
    lowered = raised.then(() => store.lowerRound(network, round)).catch(logFailure);
  }
}
