import { sha512, sha512_256 } from '@avm402/algorand/hash';
import { blockHeader, type BlockHeader } from '../codec/schema/block.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import type { Genesis } from '../genesis/genesis.ts';
import type { Commitments } from './merkle-array.ts';

const HASH_PREFIX = Buffer.from('BH');
const EMPTY_PAYSET_PREFIX = Buffer.from('PF');
const EMPTY_LIST = Uint8Array.of(0x90);

/** The transaction counter before the first transaction. It is not zero, so that small ids stay free. */
export const COUNTER_START = 1000n;

// Differs from algod: no-voters
/** The first round whose headers a state proof would attest. */
const FIRST_STATE_PROOF_ROUND = 512n;
const STATE_PROOF_TRACKING = new Map([
  [0n, { votersCommitment: new Uint8Array(), onlineTotalWeight: 0n, nextRound: FIRST_STATE_PROOF_ROUND }],
]);

const LOAD_UNIT = 1_000_000n;
const BONUS_DECAY_INTERVAL = 1_000_000n;

/** The values that the next header takes from the one before. */
export interface PreviousBlock {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  readonly hash512: Uint8Array;
}

/** The hashes by which the next block refers to a block with this encoded header. */
export function hashesOf(header: Uint8Array): { readonly hash: Uint8Array; readonly hash512: Uint8Array } {
  const hashed = Buffer.concat([HASH_PREFIX, header]);
  return { hash: sha512_256(hashed), hash512: sha512(hashed) };
}

/** The header of round 0 (go-algorand data/bookkeeping, MakeGenesisBlock). */
export function genesisHeader(genesis: Genesis): BlockHeader {
  return blockHeader.of({
    seed: genesis.hash,
    transactionsRoot: sha512_256(Buffer.concat([EMPTY_PAYSET_PREFIX, EMPTY_LIST])),
    timestamp: genesis.timestamp,
    genesisId: genesis.id,
    genesisHash: genesis.hash,
    feeSink: genesis.feeSink,
    rewardsPool: genesis.rewardsPool,
    rewardsRecalculationRound: genesis.parameters.rewardsRecalculationInterval,
    currentProtocol: genesis.parameters.version,
    transactionCounter: COUNTER_START,
  });
}

/** The values that a block's transactions add to its header. */
export interface BlockContents {
  readonly commitments: Commitments;
  readonly timestamp: bigint;
  /** µAlgo. */
  readonly fees: bigint;
  /** Bytes of the encoded transactions. */
  readonly bytes: number;
  readonly counter: bigint;
  readonly expiredAccounts: readonly Uint8Array[];
}

/** The header of the round after `previous`, in dev mode: no proposer, and the seed is the hash of the block before. */
export function nextHeader(
  previous: PreviousBlock,
  contents: BlockContents,
  parameters: ConsensusParameters,
): BlockHeader {
  const { header } = previous;
  const round = header.round + 1n;
  const { sha512Commitments, blockLoad, maxBlockBytes, rewardsRecalculationInterval } = parameters;
  const { commitments, expiredAccounts } = contents;
  return {
    ...header,
    round,
    previousHash: previous.hash,
    previousHash512: sha512Commitments ? previous.hash512 : blockHeader.zero.previousHash512,
    seed: previous.hash,
    transactionsRoot: commitments.root,
    transactionsRoot256: commitments.root256,
    transactionsRoot512: sha512Commitments ? commitments.root512 : blockHeader.zero.transactionsRoot512,
    timestamp: contents.timestamp,
    feesCollected: contents.fees,
    bonus: bonusOf(round, parameters),
    rewardsRecalculationRound:
      header.rewardsRecalculationRound +
      (round === header.rewardsRecalculationRound ? rewardsRecalculationInterval : 0n),
    transactionCounter: contents.counter,
    stateProofTracking: STATE_PROOF_TRACKING,
    expiredAccounts: expiredAccounts.length > 0 ? expiredAccounts : undefined,
    // Differs from algod: no-congestion-tax
    load: blockLoad ? (BigInt(contents.bytes) * LOAD_UNIT) / BigInt(maxBlockBytes) : 0n,
  };
}

/** µAlgo of the bonus that a header announces: 1 % less with each million rounds. */
function bonusOf(round: bigint, { bonus }: ConsensusParameters): bigint {
  let left = bonus;
  for (let decays = round / BONUS_DECAY_INTERVAL; decays > 0n; decays--) left = (left * 99n) / 100n;
  return left;
}
