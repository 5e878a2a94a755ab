import { decodeMsgpack, encodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';
import { X402Error } from '@avm402/core/errors';
import { z } from 'zod';
import type { NodeAccess } from './node-access.ts';

export interface ChainGroup {
  readonly round: bigint;
  /** Its members in order, each the msgpack of the signed transaction. */
  readonly transactions: readonly Uint8Array[];
}

const blockTransactions = z.object({
  block: z.object({ txns: z.array(z.object({ txn: z.object({ grp: z.string().optional() }) })).default([]) }),
});
const blockIds = z.object({ blockTxids: z.array(z.string()).default([]) });

/**
 * The group of a confirmed transaction, each member as the node returns it, because a block leaves out parts of what
 * was signed. Undefined if the transaction still waits.
 * @throws X402Error `algod_unreachable`, `algod_bad_answer`
 */
export async function chainGroup(node: NodeAccess, transactionId: string): Promise<ChainGroup | undefined> {
  const { round, signed } = await confirmed(node, transactionId);
  if (round === undefined) return undefined;
  const { txns } = blockTransactions.parse(await node.json(`blocks/${round}`)).block;
  const { blockTxids } = blockIds.parse(await node.json(`blocks/${round}/txids`));
  const group = txns[blockTxids.indexOf(transactionId)]?.txn.grp;
  if (group === undefined) return { round, transactions: [signed] };
  const ids = blockTxids.filter((_, index) => txns[index]?.txn.grp === group);
  const members = await Promise.all(ids.map((id) => confirmed(node, id)));
  return { round, transactions: members.map((member) => member.signed) };
}

interface Confirmed {
  readonly round: bigint | undefined;
  readonly signed: Uint8Array;
}

async function confirmed(node: NodeAccess, transactionId: string): Promise<Confirmed> {
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
