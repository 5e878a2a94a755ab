import * as z from 'zod';
import { atomic } from './atomic.ts';
import { messageIn } from './reported-message.ts';
import type { Facts, RecordedSpan } from './recorded-span.ts';
import { type Standing, standingOf } from './standing.ts';

/** A payment in one line, from the roles that have reported it so far. */
export interface PaymentSummary {
  readonly traceId: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly durationMs: number;
  /** The request, e.g. `GET /weather`. */
  readonly asked: string;
  readonly outcome?: string;
  readonly standing: Standing;
  /** The most that it may cost, in atomic units. */
  readonly amount?: string;
  /** The amount that it cost, if that is known and less. */
  readonly charged?: string;
  readonly asset?: string;
  readonly scheme?: string;
  readonly payer?: string;
  readonly payTo?: string;
  readonly transaction?: string;
  /** HTTP status of the last answer. */
  readonly status?: number;
}

/** The name of a trace in which only a facilitator tells of a settlement. */
const SETTLEMENT = 'Settlement for a seller';
/** The spans whose outcome counts, most trusted first: the buyer's, then the seller's. */
const SPEAKERS = ['x402.fetch', 'x402.present', 'x402.ask', 'x402.serve', 'x402.settle', 'x402.facilitator.settle'];

/** Whether only a facilitator tells of it. */
export function isSettlement({ asked }: PaymentSummary): boolean {
  return asked === SETTLEMENT;
}

/** The amount charged, by a receipt. */
const charge = z
  .object({ amount: atomic.optional(), extra: z.object({ chargedAmount: atomic.optional() }).optional() })
  .transform(({ amount, extra }) => extra?.chargedAmount ?? amount);

/** A buyer's wish to close a channel, which is sent as a payment for one of its routes. */
const wishToClose = z.object({ payload: z.object({ type: z.literal('refund') }) });
/** The transaction that closes a channel, by a receipt. */
const closing = z.object({ transaction: z.string().max(128) });

function closesChannel(spans: readonly RecordedSpan[]): boolean {
  return messageIn(messagesOf(spans), 'PAYMENT-SIGNATURE', wishToClose) !== undefined;
}

/** A close in one line: it buys nothing, so that it has no price. */
function asClose(summary: PaymentSummary, spans: readonly RecordedSpan[]): PaymentSummary {
  const { amount: _, charged: __, ...withoutPrice } = summary;
  const { transaction } = messageIn(messagesOf(spans), 'PAYMENT-RESPONSE', closing) ?? {};
  return {
    ...withoutPrice,
    asked: `Close the channel of ${summary.asked}`,
    standing: summary.standing === 'paid' ? 'closed' : summary.standing,
    ...(transaction !== undefined && { transaction }),
  };
}

const messagesOf = (spans: readonly RecordedSpan[]): RecordedSpan['events'] => spans.flatMap(({ events }) => events);

/** The amount charged, if a role reports it. */
function chargedIn(spans: readonly RecordedSpan[]): Facts {
  const charged = messageIn(messagesOf(spans), 'PAYMENT-RESPONSE', charge);
  return charged === undefined ? {} : { charged };
}

/** A trace in one line. */
export function summaryOf(traceId: string, spans: readonly RecordedSpan[]): PaymentSummary {
  const from = Math.min(...spans.map((span) => span.from));
  const to = Math.max(...spans.map((span) => span.to));
  const byWeight = SPEAKERS.flatMap((name) => spans.filter((span) => span.name === name).toReversed());
  const reported = (fact: string) =>
    [...byWeight, ...spans].find(({ facts }) => facts[fact] !== undefined)?.facts[fact];
  const text = (name: string, fact: string): Facts => {
    const value = reported(fact);
    return value === undefined ? {} : { [name]: String(value) };
  };
  const status = reported('http.response.status_code');
  const summary: PaymentSummary = {
    traceId,
    from,
    durationMs: to - from,
    asked: askedFor(reported, spans),
    ...text('outcome', 'x402.outcome'),
    standing: standingOf(String(reported('x402.outcome') ?? ''), typeof status === 'number' ? status : 0),
    ...(isOfMaximum(reported) ? {} : text('amount', 'x402.amount')),
    ...chargedIn(spans),
    ...text('asset', 'x402.asset'),
    ...text('scheme', 'x402.scheme'),
    ...text('payer', 'x402.payer'),
    ...text('payTo', 'x402.pay_to'),
    ...text('transaction', 'x402.transaction'),
    ...(typeof status === 'number' && { status }),
  };
  return closesChannel(spans) ? asClose(summary, spans) : summary;
}

/** Whether a trace tells only that a channel or a maximum was settled: what its offer asks for is not what that moved. */
function isOfMaximum(reported: (fact: string) => unknown): boolean {
  return reported('url.path') === undefined && reported('x402.scheme') !== 'exact';
}

/** The request; in a trace that reports no request, the work that was done. */
function askedFor(
  reported: (fact: string) => string | number | boolean | undefined,
  spans: readonly RecordedSpan[],
): string {
  const path = reported('url.path');
  if (path === undefined) {
    const isSettled = spans.some(({ name }) => name === 'x402.facilitator.settle');
    return String(reported('http.route') ?? (isSettled ? SETTLEMENT : 'Check for a seller'));
  }
  return `${String(reported('http.request.method') ?? '')} ${String(path)}`.trim();
}
