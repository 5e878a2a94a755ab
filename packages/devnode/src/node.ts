import type { Document } from './codec/document.ts';
import type { BlockProduction } from './production/block-producer.ts';
import type { SubmitOptions } from './submission/submissions.ts';
import type { Account, AssetHolding, AssetParams } from './ledger/account.ts';

/** 32 bytes: a public key, or the hash of a multisig or program. */
export type Address = Uint8Array;

export interface NodeOptions {
  /** algod's genesis.json as text; exactly that genesis is booted. Default: the fixed development genesis with its accounts. */
  readonly genesis?: string;
  /** `testnet`: the default genesis presented under TestNet's genesis id and hash. */
  readonly network?: 'testnet';
  /** Default `instant`. */
  readonly blocks?: BlockProduction;
  /** Exactly algod's dev mode: a block for each synchronous group, asynchronous ones wait for the next. Default false. */
  readonly strict?: boolean;
  /** algod's `EnableDeveloperAPI`; here it decides whether simulate may trace. Default true. */
  readonly developerApi?: boolean;
  /** algod's `MaxAcctLookback`: rounds of old state kept for simulate and deltas. Default 4. */
  readonly maxAcctLookback?: number;
  /** algod's `TxPoolSize`, in transactions. Default 75,000. */
  readonly txPoolSize?: number;
  /** Groups that wait for the asynchronous worker; one more is refused with 503. Default 26,000. */
  readonly backlogSize?: number;
  /** The wall clock in ms since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Told of a fault of the node that no caller is told of. Default: printed to stderr. */
  readonly onInternalError?: (error: unknown) => void;
}

export interface NodeStatus {
  readonly lastRound: bigint;
  /** Consensus version (an URL). */
  readonly version: string;
  /** Nanoseconds since this process added a block; 0 before the first. */
  readonly timeSinceLastRound: bigint;
}

export interface Supply {
  readonly round: bigint;
  /** µAlgo of accounts that are online now. */
  readonly onlineMoney: bigint;
  /** µAlgo that were online in the balance round of consensus: on a chain this young, those of genesis. */
  readonly onlineStake: bigint;
  /** µAlgo of all participating accounts, online and offline. */
  readonly totalMoney: bigint;
}

export interface AccountState {
  readonly round: bigint;
  readonly account: Account;
  /** µAlgo that the account must keep. */
  readonly minBalance: bigint;
  /** Holdings by asset id, ascending. */
  readonly holdings: readonly (readonly [assetId: bigint, holding: AssetHolding])[];
  /** Parameters of the assets that this account created, by id, ascending. */
  readonly created: readonly (readonly [assetId: bigint, params: AssetParams])[];
}

export interface Asset {
  readonly creator: Address;
  readonly params: AssetParams;
}

export type ProofHash = 'sha512_256' | 'sha256';

/** Proof that a transaction is in a block: a path in the block's Merkle array (sha512_256) or vector commitment (sha256). */
export interface TransactionProof {
  readonly index: number;
  readonly treeDepth: number;
  /** The siblings from leaf to root, one after another. */
  readonly proof: Uint8Array;
  /** Hash of the transaction as it is written in the block. */
  readonly stibHash: Uint8Array;
}

export interface NodeCounters {
  readonly groupsAccepted: number;
  readonly groupsRefused: number;
  readonly transactionsConfirmed: number;
  /** Asynchronously submitted groups that turned out invalid. */
  readonly backlogDropped: number;
  readonly backlogRefused: number;
  readonly backlogGroups: number;
  readonly poolTransactions: number;
}

/**
 * The node in process: ledger, pool and block production, without HTTP. Every failure is a DevnodeError whose `status`
 * and `message` are the answer. A look-up that finds nothing gives undefined; the text of that 404 is the route's matter.
 */
export interface Node {
  /** The genesis JSON text. */
  readonly genesisJson: string;
  readonly genesisId: string;
  readonly genesisHash: Uint8Array;
  readonly latestRound: bigint;
  readonly counters: NodeCounters;

  status(): NodeStatus;
  supply(): Supply;
  /** µAlgo that a transaction pays at least, and the suggested fee per byte. */
  suggestedFees(): { readonly minFee: bigint; readonly feePerByte: bigint };
  /**
   * Resolves when block `round` is there, when `timeoutMs` have passed, or when `signal` aborts: look at `latestRound` then.
   * @throws DevnodeError `shutting_down` (500) when the node is closed
   */
  waitForRound(round: bigint, options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<void>;

  /** Submits one group: concatenated signed transactions. Resolves when it is in a block (instant) or in the pool. */
  submitGroup(bytes: Uint8Array, options?: SubmitOptions): Promise<{ readonly txId: string }>;
  /**
   * Puts one group on the backlog. Throws what algod answers at once (400 malformed, 400 PQ check, 503 `backlog full`),
   * and 400 `unsupported` for what this node can not judge.
   */
  submitGroupAsync(bytes: Uint8Array, options?: SubmitOptions): void;
  /** Answers a simulate request (msgpack or JSON, at most 1,000,000 bytes; longer ones are refused here). */
  simulate(request: Uint8Array): Document;

  /** What is known of a transaction: in a block of the last 1000 rounds, in the pool, or fallen out of it. */
  pendingTransaction(txId: Uint8Array): Document | undefined;
  /** `{top-transactions, total-transactions}`; `max` 0 means all. */
  pendingTransactions(options: { readonly max: bigint; readonly address?: Address }): Document;

  account(address: Address): AccountState;
  /** The account in msgpack: algod's raw record, or with `bare` (`exclude=all`) its Go-named one. */
  accountMsgpack(address: Address, options: { readonly bare: boolean }): Uint8Array;
  /** msgpack of `/v2/accounts/{address}/assets/{id}`; undefined when the account neither holds nor created the asset. */
  accountAssetMsgpack(address: Address, assetId: bigint): Uint8Array | undefined;
  asset(assetId: bigint): Asset | undefined;

  /** `{block}`; in msgpack `{block, cert}` unless `headerOnly`. */
  block(round: bigint, options: { readonly headerOnly: boolean }): Document | undefined;
  /** TxIDs of a block in its order (52 characters each). */
  blockTransactionIds(round: bigint): readonly string[] | undefined;
  blockHash(round: bigint): Uint8Array | undefined;
  /** undefined: there is no such block; `null`: the transaction is not in it. */
  transactionProof(round: bigint, txId: Uint8Array, hash: ProofHash): TransactionProof | null | undefined;
  /** What a round changed. Throws `not_found` (404) with algod's reason outside the rounds kept. */
  stateDelta(round: bigint): Document;

  /** Seconds between a block's timestamp and the one before. Throws 404 when never set, 400 outside dev mode. */
  timestampOffset(): bigint;
  /** @throws DevnodeError 400 beyond 2^63 - 1 or outside dev mode */
  setTimestampOffset(seconds: bigint): void;

  /** Makes blocks of what is in the pool, the later ones empty. Default 1. */
  mine(rounds?: number): Promise<void>;
  /** Gives µAlgo out of nothing, in a block of its own that holds no transaction. */
  fund(address: Address, microAlgos: bigint): Promise<void>;
  /** Gives units of any asset, opting the account in and lifting its balance to the new minimum if need be. */
  deal(address: Address, assetId: bigint, amount: bigint): Promise<void>;

  /** Stops block production and fails all waiters. */
  close(): void;
}
