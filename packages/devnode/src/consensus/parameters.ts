import { DevnodeError } from '../errors.ts';

/** Consensus v41 (go-algorand 4.7), https://github.com/algorandfoundation/specs/tree/953304de35264fc3ef91bcd05c123242015eeaed */
const v41 = {
  /** The version's name: the address of its specification. */
  version: 'https://github.com/algorandfoundation/specs/tree/953304de35264fc3ef91bcd05c123242015eeaed',
  /** µAlgo that a transaction of usage 1 costs. */
  minTransactionFee: 1000n,
  /** µAlgo that an account must keep, and again for each asset that it holds. */
  minBalance: 100_000n,
  /**
   * µAlgo that an account must keep for its part in applications: for each application created, each opted in to, and
   * each extra page of programs; for each integer and byte slice of a schema; for each box, and each byte of its name
   * and content.
   */
  deposits: { application: 100_000n, uint: 28_500n, byteSlice: 50_000n, box: 2500n, boxByte: 400n },
  /** The most rounds from first to last valid. */
  maxTransactionLife: 1000n,
  maxGroupSize: 16,
  /** Note bytes beyond this raise the fee. */
  freeNoteBytes: 1024,
  maxNoteBytes: 1024,
  /** The most bytes of encoded transactions in a block. */
  maxBlockBytes: 5 * 1024 * 1024,
  maxAssetNameBytes: 32,
  maxAssetUnitNameBytes: 8,
  maxAssetUrlBytes: 96,
  maxAssetDecimals: 19,
  /** The most rounds for which participation keys may be valid. */
  maxKeyregValidPeriod: 256n * 65536n - 1n,
  /** The fee in µAlgo that makes an account eligible for incentives when it goes online. */
  goOnlineFee: 2_000_000n,
  /** The highest version of a program. */
  logicSigVersion: 12,
  /** Bytes that each transaction of a group adds to the group's allowance for programs and to that for arguments. */
  logicSigBytes: 1000,
  maxLogicSigBytes: 16_000,
  /** Limits of an application call and of the application that it creates. */
  applications: {
    maxArguments: 16,
    maxArgumentBytes: 4096,
    maxTotalArgumentBytes: 2048,
    /** Accounts, assets, applications and boxes, each and together. */
    maxReferences: 8,
    /** The most entries in the access list. */
    maxAccess: 16,
    maxBoxNameBytes: 64,
    maxLocalEntries: 16n,
    maxGlobalEntries: 64n,
    programPageBytes: 2048,
    maxExtraPages: 3,
    /** Whether an update may change the global schema and the extra pages. */
    sizeUpdates: false,
    /** Whether an access list may name local state of the called application without naming the application. */
    allowsOwnLocals: false,
  },
  /** Whether `sgnr` equal to the sender is refused. */
  authAddressMustDiffer: false,
  /** Whether post-quantum signatures exist. */
  pqSignatures: false,
  /** Whether blocks carry `prev512` and `txn512`. */
  sha512Commitments: true,
  /** Whether blocks carry their load. */
  blockLoad: false,
  /** µAlgo of the header's bonus in the first million rounds; 1 % less in each million after. */
  bonus: 10_000_000n,
  rewardsRecalculationInterval: 500_000n,
  /**
   * Whether large transactions pay for their size. Before, programs and arguments shared one allowance, LogicSig fields
   * without a program were not checked, and every single heartbeat got the discount that it must claim since.
   */
  sizePricing: false,
};

/** The rules of one protocol version, as far as payments need them (go-algorand config/consensus.go). */
export type ConsensusParameters = Readonly<typeof v41>;
export type ApplicationLimits = Readonly<ConsensusParameters['applications']>;

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
