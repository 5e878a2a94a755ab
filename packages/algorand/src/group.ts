import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';
import { MsgpackWriter } from './msgpack-writer.ts';
import { type Transaction, transactionDigest } from './transaction.ts';

/** Most transactions that a group may have. */
export const MAX_GROUP_SIZE = 16;

const GROUP_PREFIX = new TextEncoder().encode('TG');
const writer = new MsgpackWriter();

/**
 * The 32-byte id of a group: SHA-512/256 of "TG" and the list of the members' ids, each taken without its `group`.
 * Members that are in a group already are hashed as if they were not, so this also checks a group received.
 * @throws AlgorandError `invalid_group` for an empty group or one of more than 16
 */
export function computeGroupId(transactions: readonly Transaction[]): Uint8Array {
  if (transactions.length === 0 || transactions.length > MAX_GROUP_SIZE) {
    const message = `a group has 1 to ${MAX_GROUP_SIZE} transactions, not ${transactions.length}`;
    throw new AlgorandError('invalid_group', message);
  }
  const ids = transactions.map(ungroupedDigest);
  writer.clear().raw(GROUP_PREFIX).mapHeader(1).text('txlist').arrayHeader(ids.length);
  for (const id of ids) writer.bytes(id);
  return sha512_256(writer.written);
}

function ungroupedDigest(transaction: Transaction): Uint8Array {
  if (transaction.group === undefined) return transactionDigest(transaction);
  const { group: _, ...ungrouped } = transaction;
  return transactionDigest(ungrouped);
}

/** Copies of the transactions, all with the id of the group that they form. Throws as `computeGroupId` does. */
export function assignGroup(transactions: readonly Transaction[]): Transaction[] {
  const group = computeGroupId(transactions);
  return transactions.map((transaction) => ({ ...transaction, group }));
}
