import { sha512_256 } from '@avm402/algorand/hash';
import { bytes32, isAllZero, sameBytes } from '../codec/bytes.ts';
import { encodeWithPrefix } from '../codec/document.ts';
import { list } from '../codec/list.ts';
import { transaction as transactionSchema } from '../codec/schema/transaction.ts';
import { field, Struct } from '../codec/struct.ts';
import { Refusal } from '../transaction/refusal.ts';
import { idText, signingMessage, type GroupMember } from '../transaction/member.ts';

const PREFIX = Buffer.from('TG');
const groupHash = new Struct({ ids: field('txlist', list(bytes32)) });
const NO_GROUP = transactionSchema.zero.group;

/**
 * Checks the group ids of transactions submitted together (go-algorand data/transactions/verify/txn.go).
 * @throws Refusal with algod's text
 */
export function checkGroupId(members: readonly GroupMember[]): void {
  const group = members[0]?.transaction.group ?? NO_GROUP;
  if (isAllZero(group) && members.length > 1) {
    throw new Refusal(`transactionGroup: [0] had zero Group but was submitted in a group of ${members.length}`, 0);
  }
  for (const [index, { transaction }] of members.entries()) {
    if (sameBytes(transaction.group, group)) continue;
    const values = `${idText(transaction.group)} != ${idText(group)}`;
    throw new Refusal(`transactionGroup: inconsistent group values: ${values}`, index);
  }
  if (!isAllZero(group)) checkComplete(members, group);
}

function checkComplete(members: readonly GroupMember[], group: Uint8Array): void {
  const ids = members.map(({ transaction }) => sha512_256(signingMessage({ ...transaction, group: NO_GROUP })));
  const computed = sha512_256(encodeWithPrefix(PREFIX, groupHash, { ids }));
  if (sameBytes(computed, group)) return;
  const names = ids.map(idText).join(' ');
  throw new Refusal(`transactionGroup: incomplete group: ${idText(group)} != ${idText(computed)} ({{} [${names}]})`);
}
