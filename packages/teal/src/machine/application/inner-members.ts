import { groupIdOf } from '@avm402/algorand/group';
import { transactionDigest } from '@avm402/algorand/transaction';
import { concatBytes } from '@noble/hashes/utils.js';
import type { TransactionFields } from '../group-transaction.ts';
import type { ApplicationMember } from './effects.ts';
import type { ProgramRun } from './group.ts';

/** The transactions of an inner group with their ids, and the group's id if there are several. */
export function innerMembers(run: ProgramRun, open: readonly TransactionFields[]): readonly ApplicationMember[] {
  const before = run.effects.inner.length;
  const idOf = (transaction: TransactionFields, index: number): Uint8Array => innerId(run, before + index, transaction);
  const group = open.length > 1 ? groupIdOf(open.map(idOf)) : undefined;
  return open.map((one, index) => {
    const transaction = group === undefined ? one : { ...one, group };
    return { txId: idOf(transaction, index), transaction, effects: {} };
  });
}

/** The id of an inner transaction depends on its parent and its place, because two may be equal. */
export function innerId({ member, shared }: ProgramRun, index: number, transaction: TransactionFields): Uint8Array {
  const place = new Uint8Array(8);
  new DataView(place.buffer).setBigUint64(0, BigInt(index));
  return transactionDigest(concatBytes(member.txId, place, shared.ledger.encode(transaction)));
}
