import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAlgodRefusal, type AlgodRefusal } from '@avm402/algorand/algod-refusal';
import { decodeMember, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';

/**
 * What the buyer's own node would say of a payment's group, whose sponsor has not signed yet; undefined if it would take
 * it.
 * @throws what algod throws
 */
export async function ownVerdict(
  algod: Pick<AlgodClient, 'simulate'>,
  members: readonly Uint8Array[],
): Promise<AlgodRefusal | undefined> {
  const transactions = members.map((member) => encodeSignedTransaction(decodeMember(member).signed));
  const { failureMessage } = await algod.simulate({ transactions, allowEmptySignatures: true });
  return failureMessage === undefined ? undefined : parseAlgodRefusal(failureMessage);
}
