import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAlgodRefusal, type AlgodRefusal } from '@avm402/algorand/algod-refusal';
import {
  decodeSignedTransaction,
  encodeSignedTransaction,
  type SignedTransaction,
} from '@avm402/algorand/signed-transaction';
import { decodeTransaction, type Transaction } from '@avm402/algorand/transaction';

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

/** The transaction of a member, whether it is signed or not. */
export function transactionIn(member: Uint8Array): Transaction {
  return unlessUnsigned(member)?.txn ?? decodeTransaction(member);
}

function asSigned(member: Uint8Array): Uint8Array {
  return unlessUnsigned(member) ? member : encodeSignedTransaction({ txn: decodeTransaction(member) });
}

function unlessUnsigned(member: Uint8Array): SignedTransaction | undefined {
  try {
    return decodeSignedTransaction(member);
  } catch {
    return undefined;
  }
}
