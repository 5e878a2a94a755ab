import { groupIdOf } from '@avm402/algorand/group';
import { MAX_WINDOW_ROUNDS, transactionDigest } from '@avm402/algorand/transaction';
import { decodeMsgpack, encodeMsgpack, type MsgpackKey, type MsgpackValue } from '@avm402/algorand/msgpack';

type Fields = Map<MsgpackKey, MsgpackValue>;

const SIGNATURES = ['sig', 'msig', 'pqsig', 'sgnr'];

/**
 * A group like a confirmed one that no block has, so that a node simulates it as a new one: its members are valid one
 * round longer or shorter, and only programs sign them.
 */
export function unsentGroup(transactions: readonly Uint8Array[]): readonly Uint8Array[] {
  const members = transactions.map((bytes) => fieldsOf(decodeMsgpack(bytes, { invalidUtf8: 'bytes' })));
  const changed = members.map((member) => withOtherEnd(fieldsOf(member.get('txn'))));
  const group = groupIdOf(changed.map(ungroupedDigest));
  return members.map((member, index) => {
    const txn = changed[index] ?? new Map();
    if (txn.has('grp')) txn.set('grp', group);
    const signed = new Map(member).set('txn', txn);
    for (const signature of member.has('lsig') ? [] : SIGNATURES) signed.delete(signature);
    return encodeMsgpack(signed);
  });
}

function fieldsOf(value: MsgpackValue | undefined): Fields {
  return value instanceof Map ? new Map(value) : new Map();
}

function withOtherEnd(transaction: Fields): Fields {
  const [first, last] = [transaction.get('fv'), transaction.get('lv')];
  if (typeof last !== 'bigint') return transaction;
  const isLongest = last - (typeof first === 'bigint' ? first : 0n) >= MAX_WINDOW_ROUNDS;
  return transaction.set('lv', isLongest ? last - 1n : last + 1n);
}

function ungroupedDigest(transaction: Fields): Uint8Array {
  const alone = new Map(transaction);
  alone.delete('grp');
  return transactionDigest(encodeMsgpack(alone));
}
