import { isAllZero } from '../codec/bytes.ts';
import { heartbeatFields, type Transaction } from '../codec/schema/transaction.ts';
import type { FormContext } from './context.ts';

/** The problem with the form of an `hb`, if any (go-algorand data/transactions/heartbeat.go). */
export function heartbeatProblem(transaction: Transaction, { parameters }: FormContext): string | undefined {
  const { heartbeat } = transaction;
  if (heartbeat === undefined) return 'heartbeat transaction has no heartbeat fields';
  if (parameters.sizePricing && heartbeat.challenge) {
    const problem = discountProblem(transaction);
    if (problem !== undefined) return problem;
  }
  if (heartbeatFields.fields.proof.kind.isZero(heartbeat.proof)) return 'tx.HbProof is empty';
  if (isAllZero(heartbeat.seed)) return 'tx.HbSeed is empty';
  if (isAllZero(heartbeat.voteId)) return 'tx.HbVoteID is empty';
  return heartbeat.keyDilution === 0n ? 'tx.HbKeyDilution is zero' : undefined;
}

function discountProblem({ note, lease, rekeyTo }: Transaction): string | undefined {
  if (note.length > 0) return 'tx.Note is set in discounted heartbeat';
  if (!isAllZero(lease)) return 'tx.Lease is set in discounted heartbeat';
  return isAllZero(rekeyTo) ? undefined : 'tx.RekeyTo is set in discounted heartbeat';
}
