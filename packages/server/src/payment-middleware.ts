import { isX402Error, X402Error } from '@avm402/core/errors';
import type { RouteConfig, RoutesConfig } from '@x402/core/server';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { errorReply } from './answers.ts';
import type { Exchange, Seller } from './exchange.ts';
import { requestContext } from './offers/request-context.ts';
import { resourceUrl } from './offers/resource-url.ts';
import { RouteOffers } from './offers/route-offers.ts';
import type { PaymentOptions } from './options.ts';
import { type PaymentEvent, reportTrouble } from './payment-event.ts';
import { withoutPreconditions } from './preconditions.ts';
import { serve } from './request-life.ts';
import { markPriced, writeReply } from './response/reply.ts';
import { type PricedRoute, pricedRoute, RouteTable } from './routes/route-table.ts';
import { createSeller } from './seller.ts';
import type { ResourceServer } from './stock-server.ts';

/** An Express handler that takes payments. */
export interface PaymentMiddleware extends RequestHandler {
  /**
   * Resolves when the facilitator was asked and every offer could be built. Rejects with what is wrong; the handler
   * keeps trying all the same, and serves nothing unpaid. An app that awaits it fails at its start.
   */
  readonly ready: Promise<void>;
}

/**
 * Charges for the routes of a table, as stock's middleware does: `app.use(paymentMiddleware(routes, server))`, before
 * the handlers. Keys are `"GET /path"`, with `:name` and `*`; a GET route covers HEAD.
 * @param routes what is sold, with `accepts`, `description`, `mimeType`, `extensions`, … as in `@x402/express`
 * @param server a stock `x402ResourceServer` with its facilitator clients and the registered scheme
 * @throws X402Error at once for whatever is wrong with routes, server or options (`invalid_route`, `duplicate_route`,
 * `shadowed_route`, `unsupported_scheme`, `unsupported_network`, `invalid_pay_to`, `invalid_price`, `price_too_precise`,
 * `asset_decimals_unknown`, `header_budget_exceeded`, `resource_server_hooks`, `facilitator_url_insecure`, …)
 */
export function paymentMiddleware(
  routes: RoutesConfig,
  server: ResourceServer,
  options: PaymentOptions = {},
): PaymentMiddleware {
  const seller = createSeller(server, options);
  const table = new RouteTable(routes);
  const offers = new Map(table.routes.map((route) => [route, routeOffers(route, server, seller)]));
  return withReady(seller, [...offers.values()], (request, response, next) => {
    if (!isFromExpress(seller, { request, response, next })) return;
    const priced = matchFailingClosed(table, request, response);
    if (priced === 'answered') return;
    const offersOfRoute = priced && offers.get(priced);
    if (offersOfRoute === undefined) return next();
    charge(seller, offersOfRoute, { request, response, next });
  });
}

/**
 * Charges for one handler, whatever path leads to it: `app.get('/weather', paid(route, server), handler)`. The price
 * stands on the handler itself, so no spelling of a path goes past it.
 * @throws X402Error as `paymentMiddleware`
 */
export function paid(route: RouteConfig, server: ResourceServer, options: PaymentOptions = {}): PaymentMiddleware {
  const seller = createSeller(server, options);
  const offers = routeOffers(pricedRoute('*', route), server, seller);
  return withReady(seller, [offers], (request, response, next) => {
    if (isFromExpress(seller, { request, response, next })) charge(seller, offers, { request, response, next });
  });
}

function routeOffers(route: PricedRoute, server: ResourceServer, seller: Seller): RouteOffers {
  const isPaymentIdRequired = seller.options.paymentId === 'required';
  return new RouteOffers(route, { server, pool: seller.pool, isPaymentIdRequired });
}

function withReady(seller: Seller, offers: readonly RouteOffers[], handler: RequestHandler): PaymentMiddleware {
  const ready = checkAll(offers);
  ready.catch((error: unknown) => reportSafely(seller, { type: 'failed', route: 'start', error }));
  return Object.assign(handler, { ready });
}

/** A listener that throws must not come between a payment and its response. */
function reportSafely({ options }: Seller, event: PaymentEvent): void {
  try {
    (options.onEvent ?? reportTrouble)(event);
  } catch (error) {
    reportTrouble({ ...event, type: 'failed', error });
  }
}

async function checkAll(offers: readonly RouteOffers[]): Promise<void> {
  for (const route of offers) await route.check();
}

/** The priced route of a request. A path that can't be told apart is refused rather than served unpaid. */
function matchFailingClosed(
  table: RouteTable,
  request: Request,
  response: Response,
): PricedRoute | 'answered' | undefined {
  try {
    return table.match(request);
  } catch (error) {
    const { code, message } = isX402Error(error) ? error : new X402Error('ambiguous_path', { cause: error });
    writeReply(response, {
      status: 400,
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ error: code, message }),
    });
    return 'answered';
  }
}

interface HandlerArguments {
  readonly request: Request;
  readonly response: Response;
  readonly next: NextFunction;
}

/** Routes that a request is being charged for. */
const charged = new WeakMap<Request, string>();

/**
 * Whether a request comes from an Express app. Any other one is answered: what the middleware reads is not there, and
 * to let it pass would serve it unpaid.
 */
function isFromExpress(seller: Seller, { request, response }: HandlerArguments): boolean {
  if (Reflect.get(request, 'app') !== undefined) return true;
  const error = new X402Error('express_required');
  reportSafely(seller, { type: 'failed', route: request.url, code: error.code, error });
  writeReply(response, errorReply(error));
  return false;
}

function charge(seller: Seller, offers: RouteOffers, { request, response, next }: HandlerArguments): void {
  const { route } = offers;
  const other = charged.get(request);
  if (other !== undefined) return next(twoPrices(other, route.key));
  if (request.method === 'OPTIONS' && route.verb === '*') return answerOptions(response);
  charged.set(request, route.key);
  if (!offers.isUpfront) withoutPreconditions(request);
  markPriced(response);
  const url = resourceUrl(request, seller.options.publicUrl);
  const exchange: Exchange = {
    seller,
    offers,
    request,
    response,
    next,
    url,
    context: requestContext(request, route, url),
    report: (event) => reportSafely(seller, { ...event, route: route.key }),
  };
  // Nothing can be answered any more where even the answer for an error fails.
  serve(exchange).catch((error: unknown) => {
    exchange.report({ type: 'failed', error });
    response.destroy();
  });
}

/** One payment can't be used for two prices: the second one would wait for the first, and that one for its handler. */
function twoPrices(one: string, other: string): X402Error {
  return new X402Error('invalid_route', {
    message: `a request is charged for twice on its way to the handler, by "${one}" and by "${other}"`,
  });
}

/** A preflight is free and runs nothing: the handler of a route for any verb would run for OPTIONS, too. */
function answerOptions(response: Response): void {
  response.statusCode = 204;
  response.setHeader('Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  response.end();
}
