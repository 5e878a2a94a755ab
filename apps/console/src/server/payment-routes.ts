import { errorCatalogue } from '@avm402/core/errors';
import express, { Router } from 'express';
import type { Demonstration } from '../payments/demonstration.ts';
import { parseSpans } from '../payments/parse-spans.ts';
import type { PaymentBook, PaymentSummary } from '../payments/payment-book.ts';
import type { RecordedSpan } from '../payments/recorded-span.ts';
import type { EventHub } from './event-hub.ts';

/** All that is known of a payment, with what to do about each code in it. */
export interface PaymentAnswer {
  readonly summary: PaymentSummary;
  readonly spans: readonly RecordedSpan[];
  readonly remedies: Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>>;
}

const PROTOBUF = 'application/x-protobuf';
const MAX_BODY = '4mb';

/** `POST /v1/traces`: where OpenTelemetry's exporters send the roles' spans (OTLP/HTTP, protobuf). */
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
      response.status(400).json({ code: 'invalid_request', message: 'this is no export of spans (OTLP)' });
      return;
    }
    for (const traceId of book.add(spans)) hub.tell('payment', JSON.stringify(book.summaryOf(traceId)));
    // An empty ExportTraceServiceResponse: all of it was taken.
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

/** `GET /payments`: all in short, the latest first; `GET /payments/{trace}`: one in full; `POST /pay`: pays for the resource. */
export function paymentRoutes(book: PaymentBook, demonstration: Demonstration): Router {
  const router = Router();
  router.post('/pay', async (_request, response) => void response.json(await demonstration.pay()));
  router.get('/payments', (_request, response) => void response.json(book.summaries()));
  router.get('/payments/:traceId', ({ params: { traceId } }, response) => {
    const spans = book.spansOf(traceId);
    if (spans.length === 0) {
      const message = 'No role has told of this payment, or it was forgotten: the last 500 are remembered.';
      response.status(404).json({ code: 'not_found', message });
      return;
    }
    const summary = book.summaryOf(traceId);
    const answer: PaymentAnswer = { summary, spans, remedies: remediesFor(summary, spans) };
    response.json(answer);
  });
  return router;
}

/** Nothing is wrong with a payment that was answered as it should be, though its first request was not. */
function remediesFor(
  { status = 0, outcome }: PaymentSummary,
  spans: readonly RecordedSpan[],
): PaymentAnswer['remedies'] {
  if (status >= 200 && status < 300) return {};
  const codes = new Set([outcome, ...spans.map(({ facts }) => facts['error.type'])]);
  const known = Object.entries(errorCatalogue).filter(([code]) => codes.has(code));
  return Object.fromEntries(known.map(([code, { meaning, remedy }]) => [code, { meaning, remedy }]));
}
