import { sha512_256 } from '@avm402/algorand/hash';
import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { TransactionFields } from '../group-transaction.ts';
import type { ApplicationMember } from './effects.ts';
import type { ProgramRun } from './group.ts';

const ID_PREFIX = new TextEncoder().encode('TX');
const GROUP_PREFIX = new TextEncoder().encode('TG');

/** The transactions of an inner group with their ids, and the group's id if there are several. */
export function innerMembers(run: ProgramRun, open: readonly TransactionFields[]): readonly ApplicationMember[] {
  const before = run.effects.inner.length;
  const idOf = (transaction: TransactionFields, index: number): Uint8Array => innerId(run, before + index, transaction);
  const group = open.length > 1 ? groupId(open.map(idOf)) : undefined;
  return open.map((one, index) => {
    const transaction = group === undefined ? one : { ...one, group };
    return { txId: idOf(transaction, index), transaction, effects: {} };
  });
}

/** The id of an inner transaction depends on its parent and its place, because two may be equal. */
export function innerId({ member, shared }: ProgramRun, index: number, transaction: TransactionFields): Uint8Array {
  const [parent, encoded] = [member.txId, shared.ledger.encode(transaction)];
  const start = ID_PREFIX.length + parent.length;
  const bytes = new Uint8Array(start + 8 + encoded.length);
  bytes.set(ID_PREFIX);
  bytes.set(parent, ID_PREFIX.length);
  new DataView(bytes.buffer).setBigUint64(start, BigInt(index));
  bytes.set(encoded, start + 8);
  return sha512_256(bytes);
}

function groupId(ids: readonly Uint8Array[]): Uint8Array {
  const writer = new MsgpackWriter().mapHeader(1).text('txlist').arrayHeader(ids.length);
  for (const id of ids) writer.bytes(id);
  const list = writer.toBytes();
  const bytes = new Uint8Array(GROUP_PREFIX.length + list.length);
  bytes.set(GROUP_PREFIX);
  bytes.set(list, GROUP_PREFIX.length);
  return sha512_256(bytes);
}
