import { blaming } from '@avm402/core/blame-caller';
import type { RouteConfig } from '@x402/core/server';
import type { PaymentOptions } from '../../options.ts';
import { createSeller } from '../../seller.ts';
import type { ResourceServer } from '../../facilitator/stock-server.ts';
import { type RoutesToServe, routesToServe } from '../routes-to-serve.ts';
import { expressMiddleware, type PaymentMiddleware } from './express-middleware.ts';

export { channelRoutes, type ChannelRoutesOptions } from './channel-routes.ts';
export type { PaymentMiddleware } from './express-middleware.ts';

/**
 * Charges for the routes of a table. Takes the arguments of `@x402/express` and makes a seller of its own. Handlers
 * that belong together need one `createSeller`: use its `middleware`, or call this with its `pricedRoutes`.
 * @param given `(routes, server, options?)`: what is sold, with `accepts`, `description`, `mimeType`, `extensions`, …
 * as in `@x402/express`, and a stock `x402ResourceServer` with its facilitator clients and the registered scheme. Or
 * `(priced)`, from `Seller.pricedRoutes` or `Seller.priced`
 * @throws X402Error as `createSeller` and `Seller.middleware`
 * @example
 * ```ts
 * import { ExactAvmServer } from '@avm402/avm/exact/server';
 * import { HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
 * import { paymentMiddleware } from '@avm402/server/express';
 * import express from 'express';
 *
 * const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
 * const facilitator = new HTTPFacilitatorClient({ url: 'http://127.0.0.1:4022' });
 * const server = new x402ResourceServer(facilitator).register(network, new ExactAvmServer());
 * const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.env['AVM_ADDRESS'] ?? '' } as const;
 * const app = express().use(paymentMiddleware({ 'GET /weather': { accepts } }, server));
 * ```
 */
export function paymentMiddleware(...given: RoutesToServe): PaymentMiddleware {
  return blaming(paymentMiddleware, () => expressMiddleware(routesToServe(...given)));
}

/**
 * Charges for one handler, whatever path leads to it, with a seller of its own. Handlers that belong together need one
 * `createSeller`.
 * @throws X402Error as `createSeller` and `Seller.paid`
 * @example
 * ```ts
 * import type { x402ResourceServer } from '@avm402/server';
 * import { paid } from '@avm402/server/express';
 * import express from 'express';
 *
 * declare const server: x402ResourceServer;
 * const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
 * const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.env['AVM_ADDRESS'] ?? '' } as const;
 * express().get('/weather', paid({ accepts }, server), (_request, response) => void response.json({ sunny: true }));
 * ```
 */
export function paid(route: RouteConfig, server: ResourceServer, options: PaymentOptions = {}): PaymentMiddleware {
  return blaming(paid, () => createSeller({ ...options, server }).paid(route));
}
