import { formatAddress } from '@avm402/algorand/address';
import { decodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';
import { decodeMember, encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { z } from 'zod';
import { messageIn } from './reported-message.ts';
import type { RecordedSpan } from './recorded-span.ts';

/** A member of a group, with the field names of algod's JSON; whole numbers beyond 2^53 are text. */
export interface SentMember {
  readonly txn: { readonly type: string; readonly snd: string };
}

const group = z.array(z.base64().max(65_536)).max(16);
const payment = z.object({
  payload: z.union([
    z.object({ paymentGroup: group }).transform(({ paymentGroup }) => paymentGroup),
    z.object({ deposit: z.object({ paymentGroup: group }) }).transform(({ deposit }) => deposit.paymentGroup),
  ]),
});

/**
 * The transactions of a trace's latest payment as they were sent, without signatures, each as msgpack; empty if no role
 * reports them.
 */
export function sentGroup(spans: readonly RecordedSpan[]): readonly Uint8Array[] {
  const latestFirst = spans.flatMap(({ events }) => events).toReversed();
  const { payload = [] } = messageIn(latestFirst, 'PAYMENT-SIGNATURE', payment) ?? {};
  return payload.map((member) => Buffer.from(member, 'base64'));
}

/** A group for people; empty if one of its members is not a transaction. */
export function membersOf(transactions: readonly Uint8Array[]): readonly SentMember[] {
  try {
    return transactions.map((bytes) => {
      const { signed } = decodeMember(bytes);
      return jsonValue(decodeMsgpack(encodeSignedTransaction(signed))) as SentMember;
    });
  } catch {
    return [];
  }
}

const ADDRESSES = new Set(['snd', 'rcv', 'close', 'arcv', 'asnd', 'aclose', 'rekey', 'sgnr']);

function jsonValue(value: MsgpackValue, name = ''): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, one]) => [String(key), jsonValue(one, String(key))]));
  }
  if (value instanceof Uint8Array) {
    return ADDRESSES.has(name) ? formatAddress(value) : Buffer.from(value).toString('base64');
  }
  if (Array.isArray(value)) return value.map((one) => jsonValue(one));
  if (typeof value === 'bigint') return value > Number.MAX_SAFE_INTEGER ? String(value) : Number(value);
  return value;
}
