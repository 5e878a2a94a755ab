import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { BlockHeader } from '../codec/schema/block.ts';
import { addressJson, bytesJson, type Json } from '../rest/plain-json.ts';

/** A block's header as an indexer prints it; with `transactions`, the whole block. */
export function blockJson(header: BlockHeader, transactions?: readonly Json[]): Json {
  return {
    bonus: header.bonus,
    'fees-collected': header.feesCollected,
    'genesis-hash': encodeBase64(header.genesisHash),
    'genesis-id': header.genesisId,
    load: header.load,
    'participation-updates': {
      'absent-participation-accounts': header.absentAccounts?.map(formatAddress),
      'expired-participation-accounts': header.expiredAccounts?.map(formatAddress),
    },
    'previous-block-hash': encodeBase64(header.previousHash),
    'previous-block-hash-512': bytesJson(header.previousHash512),
    proposer: addressJson(header.proposer),
    'proposer-payout': header.proposerPayout,
    rewards: rewardsJson(header),
    round: header.round,
    seed: encodeBase64(header.seed),
    'state-proof-tracking': trackingJson(header),
    timestamp: header.timestamp,
    transactions,
    'transactions-root': encodeBase64(header.transactionsRoot),
    'transactions-root-sha256': encodeBase64(header.transactionsRoot256),
    'transactions-root-sha512': bytesJson(header.transactionsRoot512),
    'txn-counter': header.transactionCounter,
    'upgrade-state': {
      'current-protocol': header.currentProtocol,
      'next-protocol': header.nextProtocol === '' ? undefined : header.nextProtocol,
      'next-protocol-approvals': header.nextProtocolApprovals,
      'next-protocol-switch-on': header.nextProtocolSwitchOn,
      'next-protocol-vote-before': header.nextProtocolVoteBefore,
    },
    'upgrade-vote': { 'upgrade-approve': false, 'upgrade-delay': header.upgradeDelay },
  };
}

function rewardsJson(header: BlockHeader): Json {
  return {
    'fee-sink': formatAddress(header.feeSink),
    'rewards-calculation-round': header.rewardsRecalculationRound,
    'rewards-level': header.rewardsLevel,
    'rewards-pool': formatAddress(header.rewardsPool),
    'rewards-rate': header.rewardsRate,
    'rewards-residue': header.rewardsResidue,
  };
}

function trackingJson({ stateProofTracking }: BlockHeader): Json | undefined {
  if (stateProofTracking === undefined) return undefined;
  return Array.from(stateProofTracking, ([type, { nextRound, onlineTotalWeight, votersCommitment }]) => ({
    'next-round': nextRound,
    'online-total-weight': onlineTotalWeight,
    type,
    'voters-commitment': votersCommitment.length === 0 ? undefined : encodeBase64(votersCommitment),
  }));
}
