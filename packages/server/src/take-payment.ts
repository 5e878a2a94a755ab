import { X402Error } from '@avm402/core/errors';
import { startTrace, type Trace } from '@avm402/core/trace';
import type { NextFunction, Request, Response } from 'express';
import { errorReply } from './answers.ts';
import type { SellerContext, Exchange } from './exchange.ts';
import { requestContext } from './offers/request-context.ts';
import { resourceUrl } from './offers/resource-url.ts';
import type { RouteOffers } from './offers/route-offers.ts';
import type { PaymentEvent } from './payment-event.ts';
import { withoutPreconditions } from './request/preconditions.ts';
import { nameRequest } from './request/request-id.ts';
import { serve } from './request-life.ts';
import { markPriced, writeReply } from './response/reply.ts';

/** What Express calls a handler with. */
export interface HandlerArguments {
  readonly request: Request;
  readonly response: Response;
  readonly next: NextFunction;
}

/** The member of a request that names the route that it is being charged for; the same in each copy of this package. */
const CHARGED = Symbol.for('@avm402/server: charged');

/**
 * Whether a request comes from an Express app. Other requests get an error reply: they lack what the middleware reads, and
 * passing them on would serve them unpaid.
 */
export function isFromExpress({ report }: SellerContext, { request, response }: HandlerArguments): boolean {
  if (Reflect.get(request, 'app') !== undefined) return true;
  const error = new X402Error('express_required');
  report({ type: 'failed', route: request.url, code: error.code, error });
  writeReply(response, errorReply(error));
  return false;
}

/** Takes the payment of a request to a priced route, and serves it once it is paid. */
export function takePayment(
  seller: SellerContext,
  offers: RouteOffers,
  { request, response, next }: HandlerArguments,
): void {
  const { route } = offers;
  const other: unknown = Reflect.get(request, CHARGED);
  if (typeof other === 'string') return next(twoPrices(other, route.key));
  if (request.method === 'OPTIONS' && route.verb === '*') return answerOptions(response);
  Object.assign(request, { [CHARGED]: route.key });
  if (!offers.isUpfront) withoutPreconditions(request);
  markPriced(response);
  const url = resourceUrl(request, seller.options.publicUrl);
  const requestId = nameRequest(request, response);
  const asked = { seller, offers, request, response, next, url, requestId };
  const context = requestContext(request, route, url);
  const { tracer, traceDetails: details } = seller.options;
  const facts = { 'http.request.method': request.method, 'http.route': route.key, 'x402.request_id': requestId };
  void startTrace({ tracer, details, traceparent: request.get('traceparent') }).span('x402.serve', facts, (trace) => {
    const report = (event: Omit<PaymentEvent, 'route'>): void => {
      traceEvent(trace, event);
      seller.report({ ...event, route: route.key, requestId });
    };
    return serveToTheEnd({ ...asked, context, trace, report });
  });
}

async function serveToTheEnd(exchange: Exchange): Promise<void> {
  const { response, trace } = exchange;
  try {
    await serve(exchange);
  } catch (error) {
    // Even the error reply failed: there is nothing left to send.
    exchange.report({ type: 'failed', error });
    response.destroy();
  }
  trace.note({ 'http.response.status_code': response.statusCode });
}

function traceEvent(trace: Trace, { type, txId, payer, code }: Omit<PaymentEvent, 'route'>): void {
  const facts = {
    'x402.outcome': code ?? type,
    ...(txId !== undefined && { 'x402.transaction': txId }),
    ...(payer !== undefined && { 'x402.payer': payer }),
  };
  trace.event(`x402.${type}`, facts);
  trace.note(facts);
}

/** Two prices can't share a payment: the second would wait for the first, and the first for its handler. */
function twoPrices(one: string, other: string): X402Error {
  return new X402Error('invalid_route', {
    message: `a request is charged for twice on its way to the handler, by "${one}" and by "${other}"`,
  });
}

/** Preflights are free and run nothing: on a route for any method the handler would run for OPTIONS, too. */
function answerOptions(response: Response): void {
  response.statusCode = 204;
  response.setHeader('Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  response.end();
}
