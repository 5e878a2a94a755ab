/** How a program runs: as a logic signature, or as an application. */
export type Mode = 'signature' | 'application';

/** The budget that the programs of a group share and spend in the order in which they run. */
export interface Budget {
  remaining: number;
}

/** The fields of a block's header that a program may read. */
export interface BlockHeader {
  readonly seed: Uint8Array;
  /** Seconds. */
  readonly timestamp: bigint;
  readonly proposer: Uint8Array;
  /** µAlgo. */
  readonly feesCollected: bigint;
  /** µAlgo. */
  readonly bonus: bigint;
  readonly branch: Uint8Array;
  readonly feeSink: Uint8Array;
  /** The name of the consensus version. */
  readonly protocol: Uint8Array;
  readonly transactionCounter: bigint;
  /** µAlgo. */
  readonly proposerPayout: bigint;
  readonly branch512: Uint8Array;
  readonly sha512_256Commitment: Uint8Array;
  readonly sha256Commitment: Uint8Array;
  readonly sha512Commitment: Uint8Array;
}

/** The parameters that the network fixes: those of consensus version 42. */
export const CURRENT_PARAMETERS = {
  /** µAlgo. */
  minFee: 1000n,
  /** µAlgo, for an account and again for each asset created or held. */
  minBalance: 100_000n,
  /** Rounds. */
  maxLife: 1000n,
  /** The latest program version. */
  programVersion: 13n,
  /** The most that a program may set in an inner transaction; `argumentBytes` counts all arguments together. */
  inner: { noteBytes: 4096, argumentBytes: 16_384, extraPages: 7 },
  /** Fee and balances are in µAlgo. */
  payouts: {
    enabled: true,
    goOnlineFee: 2_000_000n,
    percent: 50n,
    minBalance: 30_000_000_000n,
    maxBalance: 70_000_000_000_000n,
  },
};

export type NetworkParameters = Readonly<typeof CURRENT_PARAMETERS>;

/** Everything outside the group. */
export interface Environment {
  readonly parameters: NetworkParameters;
  readonly genesisHash: Uint8Array;
  readonly latestRound: bigint;
  /** The header of a block; undefined if it does not exist. */
  blockHeader(round: bigint): BlockHeader | undefined;
}

/** A network without a block. */
export const EMPTY_ENVIRONMENT: Environment = {
  parameters: CURRENT_PARAMETERS,
  genesisHash: new Uint8Array(32),
  latestRound: 0n,
  blockHeader: () => undefined,
};
