import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { applicationCreationUnsupported } from '../ledger/apply/application-call.ts';
import { authorizerOf } from '../verify/member.ts';
import { pqSignatureProblem } from '../verify/pq-signature.ts';
import { runLogicSignature } from '../verify/run-logic-signature.ts';

/**
 * Refuses a group for what algod may take and this node can not judge, as far as the group itself shows it. Later, on the
 * backlog, it would vanish like one that algod refuses.
 * @throws DevnodeError `unsupported`
 */
export function refuseUnjudgeable(group: readonly SignedTransaction[]): void {
  for (const signed of group) {
    const { logicSignature, transaction } = signed;
    if (logicSignature.logic.length > 0) runLogicSignature({ signed });
    for (const pqSignature of [signed.pqSignature, logicSignature.pqSignature]) {
      // What is wrong with one, as far as this node can tell, is no reason to say anything.
      if (pqSignature.signature.length > 0) pqSignatureProblem(pqSignature, authorizerOf(signed));
    }
    if (transaction.type === 'appl' && transaction.applicationId === 0n) throw applicationCreationUnsupported();
  }
}
