import { X402Error } from '@avm402/core/errors';
import { decodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { loadedOnce } from '@avm402/core/loaded-once';
import { startTrace } from '@avm402/core/start-trace';
import { noTrace, type Trace } from '@avm402/core/trace';
import type { Tracer } from '@opentelemetry/api';
import { answerError, errorReply, refuse } from './answers.ts';
import type { Exchange, SellerContext } from './exchange.ts';
import { requestContext } from '../offers/request-context.ts';
import type { RouteOffers } from '../offers/route-offers.ts';
import type { CompleteOptions } from '../options.ts';
import type { EventFacts } from '../payment-event.ts';
import { withoutPreconditions } from '../request/preconditions.ts';
import type { RequestFacts } from '../request/request-facts.ts';
import { nameRequest } from '../request/request-id.ts';
import { markPriced, type Reply } from '../response/reply.ts';
import type { Responder } from '../response/responder.ts';

/** The member of a request that names the route it is being charged for; the same in each copy of this package. */
const CHARGED = Symbol.for('@avm402/server: charged');

/** Preflights are free and run nothing: on a route for any method, the handler would otherwise run for OPTIONS. */
const PREFLIGHT: Reply = { status: 204, headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' }, body: '' };

/** Takes the payment of a request to a priced route, and serves it once it is paid. */
export function takePayment(
  seller: SellerContext,
  offers: RouteOffers,
  request: RequestFacts,
  responder: Responder,
): void {
  const { route } = offers;
  if (request.isOverHttp2) return refuseHttp2(seller, route.key, responder);
  const other: unknown = Reflect.get(request.subject, CHARGED);
  if (typeof other === 'string') return responder.fail(twoPrices(other, route.key));
  if (request.method === 'OPTIONS' && route.verb === '*') return responder.send(PREFLIGHT);
  Object.assign(request.subject, { [CHARGED]: route.key });
  if (!offers.isUpfront) withoutPreconditions(request);
  markPriced(responder.headers);
  const requestId = nameRequest(request, responder.headers);
  const context = requestContext(request, route, seller.options.publicUrl);
  const asked = { seller, offers, request, responder, url: context.adapter.getUrl(), requestId };
  const facts = { method: request.method, route: route.key, requestId };
  const serveTraced = (trace: Trace): Promise<void> => {
    const report = (event: EventFacts): void => {
      const told = { outcome: event.code ?? event.type, transaction: event.txId, payer: event.payer };
      trace.event(`x402.${event.type}`, told);
      trace.note(told);
      seller.report({ ...event, route: route.key, requestId });
    };
    return serveToTheEnd({ ...asked, context, trace, report });
  };
  const { tracer } = seller.options;
  if (tracer === undefined) void serveTraced(noTrace);
  else
    traceOf(request, tracer, seller.options)
      .then((above) => above.span('x402.serve', facts, serveTraced))
      .catch((error: unknown) => {
        // The tracer is the app's: it must not end the process, and nothing may pass unpaid.
        seller.report({ type: 'failed', route: route.key, requestId, error });
        if (!responder.hasBegun) responder.fail(error);
      });
}

const loadShowing = loadedOnce(() => import('@avm402/avm/exact'));

/** Starts the trace of a request. What shows transactions is loaded with the first one, because few sellers trace. */
async function traceOf(request: RequestFacts, tracer: Tracer, { traceDetails }: CompleteOptions): Promise<Trace> {
  const { shownTransaction: showTransaction } = await loadShowing();
  return startTrace({ tracer, details: traceDetails, showTransaction, traceparent: request.header('traceparent') });
}

async function serveToTheEnd(exchange: Exchange): Promise<void> {
  const { request, responder, trace } = exchange;
  trace.message('received', { url: exchange.url }, { get: (name) => request.header(name) });
  try {
    await serve(exchange);
  } catch (error) {
    // Even the error reply failed: there is nothing left to send.
    exchange.report({ type: 'failed', error });
    responder.destroy();
  }
  if (responder.isClosed && !responder.hasBegun) responder.answerNobody();
  const get = (name: string): string => String(responder.headers.getHeader(name) ?? '');
  trace.message('sent', { status: responder.status }, { get });
}

/** Reads the payment, and lets its scheme serve the request. If this throws, nothing has run. */
async function serve(exchange: Exchange): Promise<void> {
  try {
    const { request, seller, trace } = exchange;
    const header = request.header(PAYMENT_SIGNATURE_HEADER);
    if (request.method === 'HEAD' || header === undefined) {
      await refuse(exchange, { reason: 'payment_required' });
      return expectPayment(exchange);
    }
    const { maxHeaderBytes } = seller.options;
    const payload = await trace.check('message', async () => decodePaymentSignatureHeader(header, maxHeaderBytes));
    const scheme = seller.schemes.get(payload.accepted.scheme);
    if (scheme === undefined) throw new X402Error('no_matching_offer');
    const serveBy = await scheme.load();
    await serveBy(exchange, payload);
  } catch (error) {
    await answerError(exchange, error);
  }
}

/**
 * A buyer who was asked to pay comes back with a payment, so the code that serves it is loaded meanwhile. If that fails, it
 * is tried again when the payment comes, and a failure is answered then.
 */
function expectPayment({ offers, seller }: Exchange): void {
  for (const name of offers.schemes)
    seller.schemes
      .get(name)
      ?.load()
      .catch(() => {});
}

/** Two prices can't share a payment: the second would wait for the first, and the first for its handler. */
function twoPrices(one: string, other: string): X402Error {
  return new X402Error('invalid_route', {
    message: `a request is charged for twice on its way to the handler, by "${one}" and by "${other}"`,
  });
}

function refuseHttp2({ report }: SellerContext, route: string, responder: Responder): void {
  const error = new X402Error('http_version_unsupported');
  report({ type: 'failed', route, code: error.code, error });
  responder.send(errorReply(error));
}
