import type { RoutesConfig } from '@x402/core/server';
import { X402Error } from '@avm402/core/errors';
import type { PaymentOptions } from '../options.ts';
import { type PricedRoutes, ServedRoutes } from '../priced-routes.ts';
import { createSeller } from '../seller.ts';
import type { ResourceServer } from '../facilitator/stock-server.ts';

/** What a host charges for: priced routes from a seller, or stock's arguments, for a seller of its own. */
export type RoutesToServe =
  | readonly [priced: PricedRoutes]
  | readonly [routes: RoutesConfig, server: ResourceServer, options?: PaymentOptions | undefined];

/** @throws X402Error as `createSeller` and `Seller.pricedRoutes` */
export function routesToServe(...given: RoutesToServe): ServedRoutes {
  if (given.length === 1) return servedRoutes(given[0]);
  const [routes, server, options] = given;
  return servedRoutes(createSeller({ ...options, server }).pricedRoutes(routes));
}

/**
 * The routes as a host serves them.
 * @throws X402Error `invalid_route` for anything that a seller from this copy of the package has not made
 */
export function servedRoutes(priced: PricedRoutes): ServedRoutes {
  if (priced instanceof ServedRoutes) return startedUnlessBuilt(priced);
  throw new X402Error('invalid_route', {
    message: 'paymentMiddleware takes what seller.pricedRoutes(…) or seller.priced(…) returns, or (routes, server)',
  });
}

/** Asks the facilitator in the background; not while Next builds, because nothing is sold then. */
function startedUnlessBuilt(priced: ServedRoutes): ServedRoutes {
  if (process.env['NEXT_PHASE'] !== 'phase-production-build') void priced.ready;
  return priced;
}
