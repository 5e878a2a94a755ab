import { parseAccountsFile } from './accounts-file/accounts-file.ts';
import { importAccounts } from './accounts-file/import-accounts.ts';
import { ChainControls } from './dev/chain-controls.ts';
import { Events } from './dev/events.ts';
import { Faults } from './dev/faults.ts';
import { Impersonation } from './dev/impersonation.ts';
import { developmentUsdc } from './dev/development-usdc.ts';
import type { DataDirectory } from './durable/data-directory.ts';
import { DevnodeError } from './errors.ts';
import { developmentGenesis, developmentGenesisAsTestNet, hasNamedAccounts } from './genesis/development-genesis.ts';
import { parseGenesis, type Genesis } from './genesis/genesis.ts';
import { ChainIndex } from './indexer/chain-index.ts';
import { Chain, type Lookback } from './ledger/chain.ts';
import { StateDelta, type State } from './ledger/state/state.ts';
import { Pool } from './pool/pool.ts';
import { BlockProducer, type BlockProduction } from './production/block-producer.ts';
import { DevClock, WALL_CLOCK } from './production/dev-clock.ts';
import { Queries } from './queries/queries.ts';
import type { Authorize } from './simulate/simulate.ts';
import type { NodeState } from './state-file/dump-node.ts';
import { bytesSource } from './state-file/frames.ts';
import { loadNode, type LoadOptions } from './state-file/load-node.ts';
import { Submissions, type SubmissionCounters } from './submission/submissions.ts';
import type { GroupMember } from './transaction/member.ts';
import { Programs } from './verify/programs.ts';
import { SignatureVerifier } from './verify/signature-verifier.ts';

/** The chain of a node, and how its blocks are made. */
export interface ChainOptions {
  /** The text of an algod genesis.json, booted without named accounts. Default: the development genesis. */
  readonly genesis?: string;
  /** `testnet`: the development genesis presented under TestNet's genesis id and hash. */
  readonly network?: 'testnet';
  /** A state file: the node continues where the file ends, with the file's genesis. */
  readonly state?: Uint8Array;
  /**
   * The text of an accounts file, which `avm402-devnode export` writes. Its accounts, holdings and assets are laid over
   * the genesis of a new chain.
   */
  readonly accountsFile?: string;
  /** Default `instant`. */
  readonly blocks?: BlockProduction;
  /** Exactly algod's dev mode: a block per synchronous group; asynchronous groups wait for the next. Default false. */
  readonly strict?: boolean;
  /** The wall clock in ms since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /**
   * Called with a fault of the node, which a caller sees as a 500 if at all, and with an error that a listener throws.
   * Default: prints it to stderr.
   */
  readonly onInternalError?: (error: unknown) => void;
}

export interface NodeOptions extends ChainOptions {
  /** The node's data directory. If it already holds a chain, the node continues that chain and ignores `state`. */
  readonly data?: DataDirectory;
  /** algod's `EnableDeveloperAPI`; here it decides whether simulate may trace. Default true. */
  readonly developerApi?: boolean;
  /** algod's `MaxAcctLookback`: rounds of old state kept for simulate and deltas. Default 4. */
  readonly maxAcctLookback?: number;
  /** algod's `MaxBlockHistoryLookback`: blocks before the latest that are kept. Default: all. */
  readonly blockLookback?: number;
  /** algod's `TxPoolSize`, in transactions. Default 75,000. */
  readonly txPoolSize?: number;
  /** How many groups may wait for the asynchronous worker; further ones are refused with 503. Default 26,000. */
  readonly backlogSize?: number;
}

const MAX_INTERVAL_MS = 2 ** 31 - 1;

export interface NodeCounters extends SubmissionCounters {
  readonly transactionsConfirmed: number;
  readonly poolTransactions: number;
}

/**
 * An Algorand node in process: ledger, pool and block production, without HTTP. Every failure is a DevnodeError; where
 * algod has an answer for it, `status` and `message` are algod's.
 */
export class DevelopmentNode {
  /** Accepts groups. */
  readonly submissions: Submissions;
  /** Makes blocks, notifies listeners of them, and lets callers wait for them. */
  readonly blocks: BlockProducer;
  readonly clock: DevClock;
  readonly impersonation: Impersonation;
  readonly faults = new Faults();
  readonly events: Events;
  readonly queries: Queries;
  readonly controls: ChainControls;
  readonly #chain: Chain;
  readonly #pool: Pool;
  readonly #data: DataDirectory | undefined;

  /** @throws DevnodeError `invalid_genesis`, `invalid_accounts_file`, `invalid_options`, `invalid_state_file`, `damaged_state_file` */
  constructor(options: NodeOptions = {}) {
    const { blocks: mode = 'instant', strict = false, now = Date.now } = options;
    const { developerApi = true, maxAcctLookback: states = 4, blockLookback = Infinity } = options;
    const lookback = { states, blocks: blockLookback };
    const { txPoolSize: maxTransactions = 75_000, backlogSize = 26_000 } = options;
    const { onInternalError = (error: unknown) => console.error('internal error:', error) } = options;
    checkInterval(mode);
    const { chain, clock: setting } = startingState(options, lookback);
    const { parameters, feeSink, rewardsPool, devMode } = chain.genesis;
    const [pool, clock] = [new Pool(chain, { maxTransactions }), new DevClock({ now, devMode })];
    const [programs, signatures] = [new Programs(chain.context.environment), new SignatureVerifier()];
    clock.restore(setting);
    const impersonation = new Impersonation();
    const mustBeSigned = (member: GroupMember): boolean => !impersonation.covers(member);
    const verification = { parameters, feeSink, rewardsPool, programs, signatures, mustBeSigned };
    const authorize: Authorize = (group, state) => impersonation.authorize(group, state);
    const blocks = new BlockProducer({ chain, pool, mode, clock, now, onInternalError });
    this.#chain = chain;
    this.#pool = pool;
    this.blocks = blocks;
    // Recorded before anyone is told, so that `kept` includes what an event tells.
    this.#data = options.data;
    this.#data?.record({ chain, clock, blocks });
    this.events = new Events({ blocks, chain, onListenerError: onInternalError });
    this.clock = clock;
    this.impersonation = impersonation;
    this.submissions = new Submissions({
      pool,
      blocks,
      verification,
      strict,
      backlogSize,
      onInternalError,
      authorize: (group) => authorize(group, chain.state),
    });
    this.queries = new Queries({ chain, pool, verification, authorize, developerApi });
    const clearBacklog = (): void => this.submissions.clearBacklog();
    const { faults } = this;
    this.controls = new ChainControls({
      chain,
      pool,
      blocks,
      clock,
      impersonation,
      faults,
      lookback,
      strict,
      clearBacklog,
    });
  }

  get counters(): NodeCounters {
    const [transactionsConfirmed, poolTransactions] = [this.#chain.transactionCount, this.#pool.size];
    return { ...this.submissions.counters, transactionsConfirmed, poolTransactions };
  }

  /** Whether the named accounts are on the chain. */
  get hasNamedAccounts(): boolean {
    return hasNamedAccounts(this.#chain.genesis);
  }

  /** A new index of the chain's transactions. */
  openIndex(): ChainIndex {
    return new ChainIndex(this.#chain);
  }

  /**
   * Resolves when everything that has happened so far will outlive the process; undefined if it already does, or never
   * will.
   * @throws DevnodeError `internal` once the data directory can't be written
   */
  kept(): Promise<void> | undefined {
    return this.#data?.kept();
  }

  /** Stops block production and rejects everything that waits. Later submissions and blocks are refused. */
  close(): void {
    this.submissions.close();
    this.blocks.close();
    this.events.close();
  }
}

function startingState(options: NodeOptions, lookback: Lookback): NodeState {
  const asked = options.genesis !== undefined || options.network !== undefined;
  const load = { lookback, genesis: asked ? genesisOf(options) : undefined };
  const fresh = (): NodeState => freshState(options, load);
  return options.data === undefined ? fresh() : options.data.begin(fresh, load);
}

function freshState({ state, accountsFile, ...options }: NodeOptions, load: LoadOptions): NodeState {
  if (state !== undefined) return loadNode(bytesSource('the state file', state), load);
  // Differs from algod: development-usdc
  const development = options.genesis === undefined ? developmentUsdc : undefined;
  const imported = accountsFile === undefined ? undefined : parseAccountsFile(accountsFile);
  const overlay = (genesis: State): StateDelta => {
    const laidOver = development?.(genesis) ?? new StateDelta(genesis);
    if (imported !== undefined) importAccounts(imported, laidOver);
    return laidOver;
  };
  const genesis = load.genesis ?? genesisOf(options);
  return { chain: new Chain(genesis, { overlay, lookback: load.lookback }), clock: WALL_CLOCK };
}

function genesisOf({ genesis, network }: NodeOptions): Genesis {
  if (genesis === undefined) {
    return network === 'testnet' ? developmentGenesisAsTestNet() : parseGenesis(developmentGenesis());
  }
  if (network === undefined) return parseGenesis(genesis);
  throw new DevnodeError('invalid_options', 'genesis and network exclude each other: a genesis names its own network');
}

function checkInterval(blocks: BlockProduction): void {
  if (typeof blocks === 'string') return;
  const { everyMs } = blocks;
  if (Number.isInteger(everyMs) && everyMs >= 1 && everyMs <= MAX_INTERVAL_MS) return;
  throw new DevnodeError(
    'invalid_options',
    `the time between blocks must be a whole number of ms from 1, not ${everyMs}`,
  );
}
