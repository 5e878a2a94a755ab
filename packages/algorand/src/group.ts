import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';
import { MsgpackReader } from './msgpack-reader.ts';
import { MsgpackWriter } from './msgpack-writer.ts';
import { decodeMember, type DecodedMember } from './signed-transaction.ts';
import { type Transaction, transactionDigest } from './transaction.ts';

/** The largest number of transactions in a group. */
export const MAX_GROUP_SIZE = 16;

const GROUP_PREFIX = new TextEncoder().encode('TG');

/**
 * The 32-byte id of a group: SHA-512/256 of "TG" and the list of the members' ids, each computed without its `group`.
 * Members that already have a group are hashed as if they had none, so this also checks a received group.
 * @throws AlgorandError `invalid_group` for an empty group or one of more than 16
 */
export function computeGroupId(transactions: readonly Transaction[]): Uint8Array {
  if (transactions.length === 0 || transactions.length > MAX_GROUP_SIZE) {
    const message = `a group has 1 to ${MAX_GROUP_SIZE} transactions, not ${transactions.length}`;
    throw new AlgorandError('invalid_group', message);
  }
  return groupIdOf(transactions.map(ungroupedDigest));
}

/** The 32-byte id of the group whose members have these ids, 32 bytes each. */
export function groupIdOf(ids: readonly Uint8Array[]): Uint8Array {
  const writer = new MsgpackWriter().raw(GROUP_PREFIX).mapHeader(1).text('txlist').arrayHeader(ids.length);
  for (const id of ids) writer.bytes(id);
  return sha512_256(writer.written);
}

function ungroupedDigest(transaction: Transaction): Uint8Array {
  if (transaction.group === undefined) return transactionDigest(transaction);
  const { group: _, ...ungrouped } = transaction;
  return transactionDigest(ungrouped);
}

/**
 * Copies of the transactions, all with the id of the group that they form.
 * @throws as `computeGroupId` does
 */
export function assignGroup(transactions: readonly Transaction[]): Transaction[] {
  const group = computeGroupId(transactions);
  return transactions.map((transaction) => ({ ...transaction, group }));
}

/**
 * Reads a group in the form that files and algod use: the msgpack of its transactions, signed or bare, one after
 * another.
 * @throws as `decodeMember`, and `invalid_group` for none or more than 16
 */
export function decodeGroup(bytes: Uint8Array): DecodedMember[] {
  const members: DecodedMember[] = [];
  const reader = new MsgpackReader(bytes);
  while (!reader.atEnd && members.length <= MAX_GROUP_SIZE) {
    const start = reader.offset;
    reader.value();
    members.push(decodeMember(bytes.subarray(start, reader.offset)));
  }
  if (members.length > 0 && members.length <= MAX_GROUP_SIZE) return members;
  const count = members.length === 0 ? 'none' : 'more';
  throw new AlgorandError('invalid_group', `a group has 1 to ${MAX_GROUP_SIZE} transactions, this one ${count}`);
}
