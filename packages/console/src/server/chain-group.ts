import { decodeMsgpack, encodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';
import { X402Error } from '@avm402/core/errors';
import type { NodeAccess } from './node-access.ts';
import { block } from '../node-answers.ts';

/** A group as the node has it. */
export interface ChainGroup {
  /** Undefined while the group waits; then only the transaction that was asked for is known. */
  readonly round: bigint | undefined;
  readonly ids: readonly string[];
  /** Its members in order, each the msgpack of the signed transaction. */
  readonly transactions: readonly Uint8Array[];
}

/**
 * The group of a transaction, each member as the node returns it, because a block leaves out parts of what was signed.
 * @throws X402Error `algod_unreachable`, `algod_bad_answer`; AlgorandError of the algod client
 */
export async function chainGroup(node: NodeAccess, transactionId: string): Promise<ChainGroup> {
  const { round, signed } = await pending(node, transactionId);
  const alone = { round, ids: [transactionId], transactions: [signed] };
  if (round === undefined) return alone;
  const { txns = [] } = (await node.json(`blocks/${round}`, block)).block;
  const blockIds = await node.algod.blockTransactionIds(round);
  const group = txns[blockIds.indexOf(transactionId)]?.txn.grp;
  if (group === undefined) return alone;
  const ids = blockIds.filter((_, index) => txns[index]?.txn.grp === group);
  const members = await Promise.all(ids.map((id) => pending(node, id)));
  return { round, ids, transactions: members.map((member) => member.signed) };
}

interface Pending {
  readonly round: bigint | undefined;
  readonly signed: Uint8Array;
}

async function pending(node: NodeAccess, transactionId: string): Promise<Pending> {
  const path = `transactions/pending/${encodeURIComponent(transactionId)}?format=msgpack`;
  const answer = decodeMsgpack(await node.bytes(path), { invalidUtf8: 'bytes' });
  const round = memberOf(answer, 'confirmed-round');
  const signed = memberOf(answer, 'txn');
  if (!(signed instanceof Map)) throw new X402Error('algod_bad_answer', { message: `${path} has no transaction` });
  return { round: typeof round === 'bigint' ? round : undefined, signed: encodeMsgpack(signed) };
}

function memberOf(value: MsgpackValue, key: string): MsgpackValue | undefined {
  return value instanceof Map ? value.get(key) : undefined;
}
