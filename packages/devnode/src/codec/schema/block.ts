import { address, blockHash, bytes, bytes32, bytes64 } from '../bytes.ts';
import { int64, uint64 } from '../integer.ts';
import type { ValueOf } from '../kind.ts';
import { list } from '../list.ts';
import { field, requiredField, Struct } from '../struct.ts';
import { byteString } from '../text.ts';
import { transactionInBlock } from './signed-transaction.ts';
import { integerMap } from '../map.ts';

const stateProofTracking = new Struct({
  votersCommitment: field('v', bytes),
  onlineTotalWeight: field('t', uint64),
  nextRound: field('n', uint64),
});

const header = {
  round: field('rnd', uint64),
  previousHash: field('prev', blockHash),
  previousHash512: field('prev512', bytes64),
  seed: field('seed', bytes32),
  transactionsRoot: field('txn', bytes32),
  transactionsRoot256: field('txn256', bytes32),
  transactionsRoot512: field('txn512', bytes64),
  timestamp: field('ts', int64),
  genesisId: field('gen', byteString),
  genesisHash: field('gh', bytes32),
  proposer: field('prp', address),
  feesCollected: field('fc', uint64),
  bonus: field('bi', uint64),
  proposerPayout: field('pp', uint64),
  feeSink: field('fees', address),
  rewardsPool: field('rwd', address),
  rewardsLevel: field('earn', uint64),
  rewardsRate: field('rate', uint64),
  rewardsResidue: field('frac', uint64),
  rewardsRecalculationRound: field('rwcalr', uint64),
  currentProtocol: field('proto', byteString),
  nextProtocol: field('nextproto', byteString),
  nextProtocolApprovals: field('nextyes', uint64),
  nextProtocolVoteBefore: field('nextbefore', uint64),
  nextProtocolSwitchOn: field('nextswitch', uint64),
  upgradePropose: field('upgradeprop', byteString),
  upgradeDelay: field('upgradedelay', uint64),
  transactionCounter: field('tc', uint64),
  stateProofTracking: field('spt', integerMap(stateProofTracking)),
  expiredAccounts: field('partupdrmv', list(address)),
  absentAccounts: field('partupdabs', list(address)),
  load: field('ld', uint64),
  congestionTax: field('ct', uint64),
};

/** A block's header (go-algorand data/bookkeeping, BlockHeader). */
export const blockHeader = new Struct(header);

/** A block: the fields of its header and its transactions, in one map. */
export const block = new Struct({ ...header, transactions: field('txns', list(transactionInBlock)) });

/** A block as algod stores it. Nobody votes here, so the certificate holds only the round. */
export const blockWithCertificate = new Struct({
  block: requiredField('block', block),
  certificate: requiredField('cert', new Struct({ round: field('rnd', uint64) })),
});

export const blockAnswer = new Struct({ block: requiredField('block', block) });
export const headerAnswer = new Struct({ block: requiredField('block', blockHeader) });

export type BlockHeader = ValueOf<typeof blockHeader>;
export type Block = ValueOf<typeof block>;
