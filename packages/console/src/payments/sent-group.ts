import { decodeMember } from '@avm402/algorand/signed-transaction';
import * as z from 'zod';
import { type GroupMember, wireTransaction } from './group-member.ts';
import { messageIn } from './reported-message.ts';
import type { RecordedSpan } from './recorded-span.ts';

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

/** A group as the page shows it; empty if one of its members is not a transaction, because a role may report anything. */
export function membersOf(transactions: readonly Uint8Array[]): readonly GroupMember[] {
  try {
    transactions.forEach(decodeMember);
    return transactions.map((bytes) => ({ signed: wireTransaction(bytes) }));
  } catch {
    return [];
  }
}
