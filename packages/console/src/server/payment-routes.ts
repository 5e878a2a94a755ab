import { errorCatalogue } from '@avm402/core/errors';
import { encodeReplay, type Replay } from '@avm402/core/replay';
import express, { Router } from 'express';
import { channelsOf } from '../payments/channels.ts';
import type { Demonstration } from '../payments/demonstration.ts';
import type { GroupMember } from '../payments/group-member.ts';
import type { LedgerHistory } from '../payments/ledger-history.ts';
import { parseSpans } from '../payments/parse-spans.ts';
import type { PaymentBook } from '../payments/payment-book.ts';
import type { PaymentSummary } from '../payments/payment-summary.ts';
import type { RecordedSpan } from '../payments/recorded-span.ts';
import { replayOf } from '../payments/replay-of.ts';
import { membersOf, sentGroup } from '../payments/sent-group.ts';
import type { Problem } from './answer-error.ts';
import { chainGroup } from './chain-group.ts';
import type { EventHub } from './event-hub.ts';
import type { NodeAccess } from './node-access.ts';

/** Everything known of a payment, with the meaning and remedy of each code in it. */
export interface PaymentAnswer {
  readonly summary: PaymentSummary;
  readonly spans: readonly RecordedSpan[];
  /** The transactions as they were sent, if a role reports them. */
  readonly sent: readonly GroupMember[];
  readonly remedies: Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;
}

const PROTOBUF = 'application/x-protobuf';
const MAX_BODY = '4mb';

/** `POST /v1/traces`: receives the roles' spans from OpenTelemetry's exporters (OTLP/HTTP, protobuf). */
export function collectorRoutes(book: PaymentBook, hub: EventHub): Router {
  const router = Router();
  router.post('/v1/traces', express.raw({ type: PROTOBUF, limit: MAX_BODY }), ({ body }, response) => {
    if (!Buffer.isBuffer(body)) {
      response
        .status(415)
        .json({ code: 'unsupported', message: `spans are taken as ${PROTOBUF}, the default of OTLP` });
      return;
    }
    const spans = spansOf(body);
    if (spans === undefined) {
      response.status(400).json({ code: 'invalid_request', message: 'this is not an export of spans (OTLP)' });
      return;
    }
    if (book.add(spans)) hub.tell('payment', '{}');
    // An empty ExportTraceServiceResponse means that everything was accepted.
    response.type(PROTOBUF).send(Buffer.alloc(0));
  });
  return router;
}

function spansOf(body: Uint8Array): RecordedSpan[] | undefined {
  try {
    return parseSpans(body);
  } catch {
    return undefined;
  }
}

export interface PaymentRouteParts {
  readonly book: PaymentBook;
  readonly demonstration: Demonstration;
  readonly history: LedgerHistory;
  readonly node: NodeAccess;
}

/**
 * `GET /payments`: all payments in short, the latest first; `/payments/{trace}`: one in full;
 * `/payments/{trace}/replay`: a file for `avm402 replay`; `/channels`: the channels of payments; `POST /pay`: pays for
 * the resource.
 */
export function paymentRoutes({ book, demonstration, history, node }: PaymentRouteParts): Router {
  const router = Router();
  router.post('/pay', async (_request, response) => {
    await history.keep();
    response.json(await demonstration.pay());
  });
  router.get('/channels', (_request, response) => void response.json(channelsOf(book)));
  router.get('/payments', (_request, response) => void response.json(book.summaries()));
  router.get('/payments/:traceId', ({ params: { traceId } }, response) => {
    const spans = book.storyOf(traceId);
    if (spans.length === 0) {
      response.status(404).json(UNKNOWN);
      return;
    }
    const summary = book.summaryOf(traceId);
    const sent = membersOf(sentGroup(spans));
    const answer: PaymentAnswer = { summary, spans, sent, remedies: remediesFor(summary, spans) };
    response.json(answer);
  });
  router.get('/payments/:traceId/replay', async ({ params: { traceId } }, response) => {
    if (book.spansOf(traceId).length === 0) {
      response.status(404).json(UNKNOWN);
      return;
    }
    response.attachment(`payment-${traceId}.json`);
    response.send(encodeReplay(await exported(traceId, { book, history, node })));
  });
  return router;
}

/**
 * A payment's replay. If the payment is on chain, it has the group as everybody can read it there; otherwise the group
 * as it was sent, without signatures.
 */
async function exported(
  traceId: string,
  { book, history, node }: Omit<PaymentRouteParts, 'demonstration'>,
): Promise<Replay> {
  const summary = book.summaryOf(traceId);
  const { transaction = '', from, durationMs } = summary;
  const spans = book.spansOf(traceId);
  const { round, transactions } = (await chainGroup(node, transaction).catch(() => undefined)) ?? {};
  if (round === undefined || transactions === undefined) {
    return replayOf({ summary, spans, group: sentGroup(spans), ledger: history.asOf(from + durationMs) });
  }
  return replayOf({ summary, spans, group: transactions, ledger: history.before(Number(round)) });
}

const UNKNOWN: Problem = {
  code: 'not_found',
  message: 'This payment was not reported, or it was dropped: the last 500 are kept.',
};

/** The remedies for a payment's codes; none if it went well in the end, although its first request was refused. */
function remediesFor({ standing, outcome }: PaymentSummary, spans: readonly RecordedSpan[]): PaymentAnswer['remedies'] {
  if (standing === 'paid' || standing === 'closed') return {};
  const codes = new Set([outcome, ...spans.map(({ facts }) => facts['error.type'])]);
  const known = Object.entries(errorCatalogue).filter(([code]) => codes.has(code));
  return Object.fromEntries(known.map(([code, { meaning, remedy }]) => [code, { meaning, remedy }]));
}
