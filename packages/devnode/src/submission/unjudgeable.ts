import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { createApplication } from '../ledger/apply/application-call.ts';
import { refuseConsensusTransaction } from '../ledger/apply/apply-transaction.ts';
import { Refusal } from '../transaction/refusal.ts';
import { groupMember } from '../transaction/member.ts';
import { type VerifyContext, verifyAllButSignatures } from '../verify/verify-group.ts';

/**
 * Refuses a group for what algod may take and this node can not judge, as far as the group itself shows it. Later, on the
 * backlog, it would vanish like one that algod refuses.
 * @throws DevnodeError `unsupported`
 */
export function refuseUnjudgeable(group: readonly SignedTransaction[], context: VerifyContext): void {
  if (!group.some(mayBeUnjudgeable)) return;
  try {
    verifyAllButSignatures(group.map(groupMember), context);
    for (const signed of group) {
      if (signed.transaction.type === 'hb') refuseConsensusTransaction(signed.transaction);
      if (createsApplication(signed)) createApplication(signed.transaction, context.parameters);
    }
  } catch (error) {
    // What algod would refuse, too, vanishes here as there.
    if (!(error instanceof Refusal)) throw error;
  }
}

function mayBeUnjudgeable(signed: SignedTransaction): boolean {
  return signed.transaction.type === 'hb' || createsApplication(signed);
}

function createsApplication({ transaction: { type, applicationId } }: SignedTransaction): boolean {
  return type === 'appl' && applicationId === 0n;
}
