import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { refuseConsensusTransaction } from '../ledger/apply/apply-transaction.ts';
import { Refusal } from '../transaction/refusal.ts';
import { groupMember } from '../transaction/member.ts';
import { type VerifyContext, verifyAllButSignatures } from '../verify/verify-group.ts';

/**
 * Refuses a group that algod may accept but this node can't judge, as far as the group itself shows it. On the backlog
 * it would be dropped, like a group that algod refuses.
 * @throws DevnodeError `unsupported`
 */
export function refuseUnjudgeable(group: readonly SignedTransaction[], context: VerifyContext): void {
  const heartbeat = group.find(({ transaction }) => transaction.type === 'hb');
  if (heartbeat === undefined) return;
  try {
    verifyAllButSignatures(group.map(groupMember), context);
  } catch (error) {
    // A group that algod also refuses is dropped, as it is there.
    if (error instanceof Refusal) return;
    throw error;
  }
  refuseConsensusTransaction(heartbeat.transaction);
}
