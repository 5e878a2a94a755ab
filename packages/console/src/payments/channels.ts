import * as z from 'zod';
import { atomic } from './atomic.ts';
import type { PaymentBook } from './payment-book.ts';
import type { PaymentSummary } from './payment-summary.ts';
import { messageIn } from './reported-message.ts';

/** The total spent of a channel after one request: vouchers add up. */
export interface ChannelPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Atomic units since the channel was opened. */
  readonly spent: string;
  readonly traceId: string;
}

/** A channel, as its payments' receipts describe it. */
export interface ChannelLine {
  readonly id: string;
  readonly payer?: string;
  readonly payTo?: string;
  readonly asset?: string;
  /** Its money on chain, in atomic units. */
  readonly deposit: string;
  /** In order of time. */
  readonly points: readonly ChannelPoint[];
}

const receipt = z.object({
  extra: z.object({
    channelState: z.object({ channelId: z.string().max(128), balance: atomic, chargedCumulativeAmount: atomic }),
  }),
});

/** The channels of payments, the latest first; payments that a role reports without details are left out. */
export function channelsOf(book: PaymentBook): ChannelLine[] {
  const channels = new Map<string, ChannelLine>();
  for (const summary of book.summaries().toReversed()) {
    const state = channelStateOf(book, summary);
    if (state === undefined) continue;
    const { channelId: id, balance: deposit, chargedCumulativeAmount: spent } = state;
    const { points = [], ...known } = channels.get(id) ?? {};
    const point: ChannelPoint = { at: summary.from, spent, traceId: summary.traceId };
    // Inserted again each time, so that the latest request puts its channel last and sets the latest deposit.
    channels.delete(id);
    channels.set(id, {
      ...known,
      ...partiesOf(summary),
      id,
      deposit,
      // A request that spends nothing, such as the one that closes the channel, adds no point.
      points: points.at(-1)?.spent === spent ? points : [...points, point],
    });
  }
  return [...channels.values()].toReversed();
}

function partiesOf({ payer, payTo, asset }: PaymentSummary): Pick<ChannelLine, 'payer' | 'payTo' | 'asset'> {
  return {
    ...(payer !== undefined && { payer }),
    ...(payTo !== undefined && { payTo }),
    ...(asset !== undefined && { asset }),
  };
}

type ChannelState = z.infer<typeof receipt>['extra']['channelState'];

function channelStateOf(book: PaymentBook, { traceId }: PaymentSummary): ChannelState | undefined {
  const events = book.spansOf(traceId).flatMap((span) => span.events);
  return messageIn(events, 'PAYMENT-RESPONSE', receipt)?.extra.channelState;
}
