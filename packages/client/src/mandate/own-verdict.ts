import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAlgodRefusal, type AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { decodeSignedTransaction, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { decodeTransaction } from '@avm402/algorand/transaction';

/**
 * What the buyer's own node would say of a payment's group, whose sponsor has not signed yet; undefined if it would take
 * it.
 * @throws what algod throws
 */
export async function ownVerdict(
  algod: Pick<AlgodClient, 'simulate'>,
  members: readonly Uint8Array[],
): Promise<AlgodRefusal | undefined> {
  const transactions = members.map(asSigned);
  const { failureMessage } = await algod.simulate({ transactions, allowEmptySignatures: true });
  return failureMessage === undefined ? undefined : parseAlgodRefusal(failureMessage);
}

function asSigned(member: Uint8Array): Uint8Array {
  try {
    decodeSignedTransaction(member);
    return member;
  } catch {
    return encodeSignedTransaction({ txn: decodeTransaction(member) });
  }
}
