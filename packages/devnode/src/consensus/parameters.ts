import { DevnodeError } from '../errors.ts';

/** Limits of an application call and of the application that it creates. */
export interface ApplicationLimits {
  readonly maxArguments: number;
  readonly maxArgumentBytes: number;
  readonly maxTotalArgumentBytes: number;
  /** Accounts, assets, applications and boxes, each and together. */
  readonly maxReferences: number;
  /** The most entries in the access list. */
  readonly maxAccess: number;
  readonly maxBoxNameBytes: number;
  readonly maxLocalEntries: bigint;
  readonly maxGlobalEntries: bigint;
  readonly programPageBytes: number;
  readonly maxExtraPages: number;
  /** Whether an update may change the global schema and the extra pages. */
  readonly sizeUpdates: boolean;
  /** Whether an access list may name local state of the called application without naming the application. */
  readonly allowsOwnLocals: boolean;
}

/** The rules of one protocol version, as far as payments need them (go-algorand config/consensus.go). */
export interface ConsensusParameters {
  /** The version's name: the address of its specification. */
  readonly version: string;
  /** µAlgo that a transaction of usage 1 costs. */
  readonly minTransactionFee: bigint;
  /** µAlgo that an account must keep, and again for each asset that it holds. */
  readonly minBalance: bigint;
  /** µAlgo that an account must keep for its part in applications. */
  readonly deposits: {
    /** For each application created, each opted in to, and each extra page of programs. */
    readonly application: bigint;
    /** For each integer of a schema. */
    readonly uint: bigint;
    readonly byteSlice: bigint;
    readonly box: bigint;
    /** For each byte of a box's name and content. */
    readonly boxByte: bigint;
  };
  /** The most rounds from first to last valid. */
  readonly maxTransactionLife: bigint;
  readonly maxGroupSize: number;
  /** Note bytes beyond this raise the fee. */
  readonly freeNoteBytes: number;
  readonly maxNoteBytes: number;
  /** The most bytes of encoded transactions in a block. */
  readonly maxBlockBytes: number;
  readonly maxAssetNameBytes: number;
  readonly maxAssetUnitNameBytes: number;
  readonly maxAssetUrlBytes: number;
  readonly maxAssetDecimals: number;
  /** The most rounds for which participation keys may be valid. */
  readonly maxKeyregValidPeriod: bigint;
  /** The fee in µAlgo that makes an account eligible for incentives when it goes online. */
  readonly goOnlineFee: bigint;
  /** The highest version of a program. */
  readonly logicSigVersion: number;
  /** Bytes that each transaction of a group adds to the group's allowance for programs and to that for arguments. */
  readonly logicSigBytes: number;
  readonly maxLogicSigBytes: number;
  readonly applications: ApplicationLimits;
  /** Whether `sgnr` equal to the sender is refused. */
  readonly authAddressMustDiffer: boolean;
  /** Whether post-quantum signatures exist. */
  readonly pqSignatures: boolean;
  /** Whether blocks carry `prev512` and `txn512`. */
  readonly sha512Commitments: boolean;
  /** Whether blocks carry their load. */
  readonly blockLoad: boolean;
  /** µAlgo of the header's bonus in the first million rounds; 1 % less in each million after. */
  readonly bonus: bigint;
  readonly rewardsRecalculationInterval: bigint;
  /**
   * Whether large transactions pay for their size. Before, programs and arguments shared one allowance, LogicSig fields
   * without a program were not checked, and every single heartbeat got the discount that it must claim since.
   */
  readonly sizePricing: boolean;
}

/** Consensus v41 (go-algorand 4.7), https://github.com/algorandfoundation/specs/tree/953304de35264fc3ef91bcd05c123242015eeaed */
const v41: ConsensusParameters = {
  version: 'https://github.com/algorandfoundation/specs/tree/953304de35264fc3ef91bcd05c123242015eeaed',
  minTransactionFee: 1000n,
  minBalance: 100_000n,
  deposits: { application: 100_000n, uint: 28_500n, byteSlice: 50_000n, box: 2500n, boxByte: 400n },
  maxTransactionLife: 1000n,
  maxGroupSize: 16,
  freeNoteBytes: 1024,
  maxNoteBytes: 1024,
  maxBlockBytes: 5 * 1024 * 1024,
  maxAssetNameBytes: 32,
  maxAssetUnitNameBytes: 8,
  maxAssetUrlBytes: 96,
  maxAssetDecimals: 19,
  maxKeyregValidPeriod: 256n * 65536n - 1n,
  goOnlineFee: 2_000_000n,
  logicSigVersion: 12,
  logicSigBytes: 1000,
  maxLogicSigBytes: 16_000,
  applications: {
    maxArguments: 16,
    maxArgumentBytes: 4096,
    maxTotalArgumentBytes: 2048,
    maxReferences: 8,
    maxAccess: 16,
    maxBoxNameBytes: 64,
    maxLocalEntries: 16n,
    maxGlobalEntries: 64n,
    programPageBytes: 2048,
    maxExtraPages: 3,
    sizeUpdates: false,
    allowsOwnLocals: false,
  },
  authAddressMustDiffer: false,
  pqSignatures: false,
  sha512Commitments: true,
  blockLoad: false,
  bonus: 10_000_000n,
  rewardsRecalculationInterval: 500_000n,
  sizePricing: false,
};

/** Consensus v42 (go-algorand 5.0), https://github.com/algorandfoundation/specs/tree/268b63433a907455d439995bf916f6b296018f4f */
const v42: ConsensusParameters = {
  ...v41,
  version: 'https://github.com/algorandfoundation/specs/tree/268b63433a907455d439995bf916f6b296018f4f',
  maxNoteBytes: 4096,
  logicSigVersion: 13,
  applications: {
    ...v41.applications,
    maxTotalArgumentBytes: 16_384,
    maxExtraPages: 7,
    sizeUpdates: true,
    allowsOwnLocals: true,
  },
  authAddressMustDiffer: true,
  pqSignatures: true,
  blockLoad: true,
  sizePricing: true,
};

/** The version after v42 in go-algorand 5.0, as far as it differs here. */
const future: ConsensusParameters = { ...v42, version: 'future', logicSigVersion: 14 };

export const LATEST_CONSENSUS_VERSION = v42.version;

const VERSIONS: ReadonlyMap<string, ConsensusParameters> = new Map(
  [v41, v42, future].map((each) => [each.version, each]),
);

/**
 * The rules of a protocol version.
 * @throws DevnodeError `invalid_genesis` for a version that this node does not know
 */
export function consensusParameters(version: string): ConsensusParameters {
  const known = VERSIONS.get(version);
  if (known !== undefined) return known;
  // Differs from algod: known-protocols
  const names = [...VERSIONS.keys()].join(', ');
  throw new DevnodeError(
    'invalid_genesis',
    `genesis: consensus version "${version}" is not known here; known are ${names}`,
  );
}
