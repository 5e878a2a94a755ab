import { type AlgodRefusal, algodRefusal } from '@avm402/algorand/algod-refusal';
import { decodeGroup } from '@avm402/algorand/group';
import { chainRefusal } from '@avm402/avm/sponsorship';
import type { X402ErrorCode } from '@avm402/core/errors';
import type { AlgodPool } from '../chain/algod-pool.ts';
import { schemeInCodes, type Settlement } from './settlement.ts';

/** The result of submitting a group to the nodes. */
type SubmissionAnswer =
  /** A node took the group into its pool. */
  | { readonly answer: 'accepted' }
  /** A node has the group already, in its ledger or pool. */
  | { readonly answer: 'already_there' }
  /** A node refused the group. */
  | { readonly answer: 'refused'; readonly refusal: AlgodRefusal }
  /**
   * No node decided: the group may have been taken or not, or its fee payer can't pay now. `refusal` is that of a node
   * that could not take it now.
   */
  | { readonly answer: 'unknown'; readonly refusal?: AlgodRefusal };

export type Submission = SubmissionAnswer & {
  /** Requests before the deciding one that may have put the group into a pool without saying so. */
  readonly unanswered: number;
};

type Parties = Pick<Settlement, 'feePayer' | 'channel' | 'group'>;

const SPONSORS_TROUBLE: ReadonlySet<X402ErrorCode> = new Set(['sponsor_rekeyed', 'sponsor_unfunded']);

/**
 * Submits a group to one node after another until one decides. Repeating it is harmless: a TxID can be confirmed only
 * once.
 */
export async function submit(pool: AlgodPool, group: Uint8Array, parties: Omit<Parties, 'group'>): Promise<Submission> {
  let unanswered = 0;
  let undecided: { readonly refusal?: AlgodRefusal } = {};
  for await (const { node, failed } of pool.attempts()) {
    try {
      await node.client.sendRawTransaction(group);
      return { answer: 'accepted', unanswered };
    } catch (error) {
      const refusal = algodRefusal(error);
      if (refusal === undefined) failed(error);
      if (refusal === undefined || refusal.kind === 'not_passed_on') unanswered += 1;
      else if (pool.isAboutNode(refusal)) undecided = { refusal };
      // This says nothing about the payment: the sponsor may or may not be refilled, or rekeyed back, within its window.
      else if (SPONSORS_TROUBLE.has(refusalCode(refusal, { ...parties, group }))) continue;
      else if (refusal.kind === 'already_in_ledger') return { answer: 'already_there', unanswered };
      else return { answer: 'refused', refusal, unanswered };
    }
  }
  return { answer: 'unknown', unanswered, ...undecided };
}

/** Why a node refuses the group of a settlement. */
export function refusalCode(refusal: AlgodRefusal, row: Parties): X402ErrorCode {
  const { feePayer, channel, group } = row;
  const sponsors = new Set([feePayer, channel?.kind === 'open' ? channel.config.funder : undefined]);
  if (refusal.kind === 'wrong_authorizer' && group !== undefined) {
    const signed = decodeGroup(group).find(({ txId }) => txId === refusal.txId)?.signed;
    if (sponsors.has(signed?.txn.sender)) return 'sponsor_rekeyed';
  }
  return chainRefusal(refusal, sponsors, schemeInCodes(row), 'settlement_rejected').code;
}
