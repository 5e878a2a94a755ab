import { blameCaller, blaming, blamingCaller } from '@avm402/core/blame-caller';
import type { PaymentOption } from '@x402/core/http';
import { type FacilitatorClient, HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import type { ChannelOptions } from './channels/channel-options.ts';
import { channelScheme, openChannels, shownChannels } from './channels/channel-scheme.ts';
import type { Channels, SellerChannels } from './channels/channels.ts';
import type { SellerContext, ServedScheme } from './exchange/exchange.ts';
import { facilitatorEndpoint } from './facilitator/facilitator-endpoint.ts';
import { FacilitatorPool } from './facilitator/facilitator-pool.ts';
import { FirstAnswer } from './facilitator/first-answer.ts';
import { acceptsOnNetwork } from './offers/network-terms.ts';
import {
  type NetworkTerms,
  type PriceTerms,
  SellerPrice,
  type SoldRoute,
  type SoldRoutes,
} from './routes/seller-price.ts';
import { Quotes } from './offers/quotes.ts';
import { RouteOffers } from './offers/route-offers.ts';
import { expressMiddleware, type PaymentMiddleware } from './hosts/express/express-middleware.ts';
import { type CompleteOptions, parseOptions, type PaymentOptions } from './options.ts';
import { reporting } from './payment-event.ts';
import { type PricedRoutes, ServedRoutes } from './priced-routes.ts';
import { Claims } from './redemption/claims.ts';
import { createMemoryRedemptionStore } from './redemption/stores/memory-redemption-store.ts';
import { PayersInFlight } from './exchange/payers-in-flight.ts';
import { risksOf } from './risk/risks.ts';
import { FairQueue } from './facilitator/fair-queue.ts';
import { Verdicts } from './facilitator/verdicts.ts';
import { HeldBytes } from './response/held-bytes.ts';
import { type PricedRoute, pricedRoute, RouteIds, RouteTable } from './routes/route-table.ts';
import { exactScheme } from './schemes/exact.ts';
import { uptoScheme } from './schemes/upto.ts';
import { checkResourceServer, facilitatorClientsOf, type ResourceServer } from './facilitator/stock-server.ts';
import { invalidOption } from './invalid-option.ts';

/** A facilitator by its URL, or an object that is called as one. */
export type SellersFacilitator = string | FacilitatorClient;

export interface SellerOptions extends PaymentOptions {
  /**
   * The facilitator that verifies and settles: its URL, a client, or one in this process; several for its replicas.
   * Routes may use every scheme that it serves.
   */
  readonly facilitator?: SellersFacilitator | readonly SellersFacilitator[] | undefined;
  /** Instead of a facilitator: a stock `x402ResourceServer` with its facilitator clients and registered schemes. */
  readonly server?: ResourceServer;
  /** Also takes payments by channels (scheme `batch-settlement`). Default: it doesn't. */
  readonly channels?: ChannelOptions;
}

/**
 * Takes payments for routes and handlers. Everything it makes shares its knowledge of payments, payers and
 * facilitators.
 */
export interface Seller {
  /**
   * Charges for the routes of a table before their handlers run. Keys are `"GET /path"`, with `:name` and `*`; a GET
   * route also covers HEAD.
   * @throws X402Error that names the route: `invalid_route`, `duplicate_route`, `shadowed_route`, `unsupported_scheme`,
   * `unsupported_network`, `invalid_pay_to`, `invalid_price`, `price_too_precise`, `asset_decimals_unknown`,
   * `header_budget_exceeded`
   */
  middleware(routes: SoldRoutes): PaymentMiddleware;
  /**
   * Charges for one handler, whatever path leads to it. The price is attached to the handler itself, so no spelling of
   * a path bypasses it.
   * @throws X402Error as `middleware`
   */
  paid(route: SoldRoute): PaymentMiddleware;
  /**
   * The price of one handler in an app that doesn't use Express, whatever path leads to it. Pass it to the
   * `paymentMiddleware` of `@avm402/server/fastify`, `/fetch`, `/hono` or `/node`.
   * @throws X402Error as `middleware`
   */
  priced(route: SoldRoute): PricedRoutes;
  /**
   * The prices of a table of routes in an app that doesn't use Express.
   * @throws X402Error as `middleware`
   */
  pricedRoutes(routes: SoldRoutes): PricedRoutes;
  /**
   * A price for a route, in place of its `accepts` or of the whole route. Needs no facilitator yet: what it becomes on
   * the network that the facilitator serves is known when the first buyer asks.
   * @param price in dollars, paid in USDC; or `{ asset, amount }` in atomic units; or a function of the request
   * @throws X402Error `invalid_pay_to`, `invalid_price`, `price_too_precise`, `price_not_positive`
   * @example
   * ```ts
   * import type { Seller } from '@avm402/server';
   *
   * declare const seller: Seller;
   * const payTo = process.env['AVM_ADDRESS'];
   * seller.middleware({
   *   'GET /joke': seller.price('$0.01', { payTo }),
   *   'GET /map': { accepts: seller.price('$0.50', { payTo, maxTimeoutSeconds: 60 }), description: 'A map' },
   * });
   * ```
   */
  price(price: NetworkTerms['price'], terms: PriceTerms): SellerPrice;
  /**
   * The `accepts` of a route that is sold on one Algorand network: the one in `terms`, or the only one that the
   * facilitator serves. Lists each spelling that the facilitator serves, the long one first. Waits up to ten seconds
   * for the facilitator.
   * @throws X402Error `unsupported_network`, which lists what is served, `facilitator_unreachable`
   */
  accepts(terms: NetworkTerms): Promise<PaymentOption[]>;
  /** The channels that pay this seller; undefined without the option `channels`. */
  readonly channels: SellerChannels | undefined;
}

/**
 * Makes a seller, the one place in an app that knows what was paid.
 * @throws X402Error `invalid_option`, `incompatible_resource_server`, `resource_server_hooks`, `facilitator_url_insecure`
 * @example
 * ```ts
 * import { createSeller } from '@avm402/server';
 * import express from 'express';
 *
 * const seller = createSeller({ facilitator: 'http://127.0.0.1:4022' });
 * const cent = seller.price('$0.01', { payTo: process.env['AVM_ADDRESS'] });
 * const app = express().use(seller.middleware({ 'GET /weather': { accepts: cent, description: 'The weather, now' } }));
 * app.get('/map', seller.paid(cent), (_request, response) => void response.json({ map: 'of the weather' }));
 * ```
 */
export function createSeller(options: SellerOptions): Seller {
  return blaming(createSeller, () => sellerOf(options));
}

function sellerOf(given: SellerOptions): Seller {
  // In JavaScript they may be missing, and null has no members either.
  const { facilitator, channels: channelOptions, ...rest } = Object(given) as SellerOptions;
  const { server = serverFor(facilitator), ...others } = rest;
  const options = parseOptions(others);
  checkResourceServer(server);
  const context = sellerContext(options, server, channelOptions);
  const { schemes, risks, firstAnswer, pool, channels } = context;
  const ids = new RouteIds();
  const isPaymentIdRequired = options.paymentId === 'required';
  const offersOf = (route: PricedRoute): RouteOffers =>
    new RouteOffers(route, {
      id: ids.next(route),
      server,
      schemes,
      pool,
      isPaymentIdRequired,
      carriesRisk: risks !== undefined,
    });
  const table = (routes: SoldRoutes): ServedRoutes => ServedRoutes.table(context, new RouteTable(routes), offersOf);
  const single = (route: SoldRoute): ServedRoutes => {
    const offers = offersOf(pricedRoute('*', route));
    return new ServedRoutes(context, [offers], () => offers);
  };
  return {
    middleware: blamingCaller((routes) => expressMiddleware(table(routes))),
    paid: blamingCaller((route) => expressMiddleware(single(route))),
    priced: blamingCaller(single),
    pricedRoutes: blamingCaller(table),
    price: blamingCaller((price, terms) => new SellerPrice(price, terms)),
    accepts: acceptsFrom(firstAnswer),
    channels,
  };
}

/** The parts that all handlers of a seller share, and its channels. */
function sellerContext(
  options: CompleteOptions,
  server: ResourceServer,
  channelOptions: ChannelOptions | undefined,
): SellerContext & Pick<Seller, 'channels'> {
  const { store = createMemoryRedemptionStore(), monotonicNow } = options;
  const { maxHeldBytesPerPayer, maxHeldBytesInTotal } = options;
  const pool = new FacilitatorPool(facilitatorClientsOf(server).map(facilitatorEndpoint), monotonicNow);
  const report = reporting(options.onEvent);
  const claims = new Claims({ ...options, store });
  const risks = risksOf(options.atRisk, { ...options, store, claims, pool, report });
  const channels =
    channelOptions === undefined ? undefined : openChannels(channelOptions, { ...options, pool, report });
  const queue = new FairQueue(options.maxVerifications);
  return {
    options,
    schemes: new Map(schemesOf(channels).map((one) => [one.scheme, one])),
    pool,
    firstAnswer: new FirstAnswer(pool, report),
    claims,
    ...(risks !== undefined && { risks }),
    queue,
    verdicts: new Verdicts(queue),
    payers: new PayersInFlight(),
    quotes: new Quotes(monotonicNow),
    heldBytes: new HeldBytes(maxHeldBytesPerPayer, maxHeldBytesInTotal),
    bodies: new HeldBytes(maxHeldBytesPerPayer, maxHeldBytesInTotal),
    report,
    channels: channels && shownChannels(channels),
  };
}

function acceptsFrom(firstAnswer: FirstAnswer): Seller['accepts'] {
  return async function accepts(terms) {
    try {
      return acceptsOnNetwork(await firstAnswer.kinds(), terms);
    } catch (error) {
      throw blameCaller(error, accepts);
    }
  };
}

/** Every scheme that a seller can take payments by. */
function schemesOf(channels: Promise<Channels> | undefined): readonly ServedScheme[] {
  return [exactScheme, uptoScheme, channelScheme(channels)];
}

/** A resource server for all schemes; undefined without a facilitator. */
function serverFor(facilitator: SellerOptions['facilitator']): x402ResourceServer {
  const all = [facilitator ?? []].flat();
  // Without a URL, or for one that is empty like a variable set to nothing, stock asks a facilitator of its own choice.
  if (all.length === 0 || all.includes(''))
    throw invalidOption('facilitator', 'is missing: the URL of one, for example from the variable FACILITATOR_URL');
  const server = new x402ResourceServer(all.map(clientOf));
  for (const { offers } of schemesOf(undefined)) server.register('algorand:*', new offers.server());
  return server;
}

function clientOf(facilitator: SellersFacilitator): FacilitatorClient {
  return typeof facilitator === 'string' ? new HTTPFacilitatorClient({ url: facilitator }) : facilitator;
}
