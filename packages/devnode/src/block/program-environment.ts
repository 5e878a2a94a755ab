import { CURRENT_PARAMETERS, type BlockHeader, type Environment } from '@avm402/teal/run';
import type { BlockHeader as StoredHeader } from '../codec/schema/block.ts';
import type { ConsensusParameters } from '../consensus/parameters.ts';

/** The part of a chain that programs can read. */
interface ReadableChain {
  readonly genesis: { readonly hash: Uint8Array };
  readonly latest: { readonly round: bigint };
  readonly blocks: { header(round: bigint): StoredHeader | undefined };
}

/** A chain as its programs see it. */
export function programEnvironment(parameters: ConsensusParameters, ledger: ReadableChain): Environment {
  const { minTransactionFee, minBalance, maxTransactionLife, logicSigVersion, maxNoteBytes, applications } = parameters;
  return {
    parameters: {
      ...CURRENT_PARAMETERS,
      minFee: minTransactionFee,
      minBalance,
      maxLife: maxTransactionLife,
      programVersion: BigInt(logicSigVersion),
      inner: {
        noteBytes: maxNoteBytes,
        argumentBytes: applications.maxTotalArgumentBytes,
        extraPages: applications.maxExtraPages,
      },
    },
    genesisHash: ledger.genesis.hash,
    get latestRound() {
      return ledger.latest.round;
    },
    blockHeader(round) {
      const header = ledger.blocks.header(round);
      return header && visibleHeader(header);
    },
  };
}

function visibleHeader(header: StoredHeader): BlockHeader {
  return {
    seed: header.seed,
    timestamp: header.timestamp,
    proposer: header.proposer,
    feesCollected: header.feesCollected,
    bonus: header.bonus,
    branch: header.previousHash,
    feeSink: header.feeSink,
    protocol: Buffer.from(header.currentProtocol),
    transactionCounter: header.transactionCounter,
    proposerPayout: header.proposerPayout,
    branch512: header.previousHash512,
    sha512_256Commitment: header.transactionsRoot,
    sha256Commitment: header.transactionsRoot256,
    sha512Commitment: header.transactionsRoot512,
  };
}
