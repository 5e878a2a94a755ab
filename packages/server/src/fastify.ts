import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { RoutesConfig } from '@x402/core/server';
import { FastifyRequest } from './node/fastify-request.ts';
import { FastifyResponder } from './node/fastify-responder.ts';
import type { PaymentOptions } from './options.ts';
import type { PricedRoutes } from './priced-routes.ts';
import { createSeller } from './seller.ts';
import type { ResourceServer } from './stock-server.ts';

/**
 * Charges for the routes of a table in a Fastify app, with the arguments of `@x402/fastify`; a seller of its own. Call it
 * before routes and plugins are registered.
 * @returns what has `ready`: await it to make an app fail at its start
 * @throws X402Error as `createSeller` and `Seller.pricedRoutes`
 * @example
 * ```ts
 * import { paymentMiddleware } from '@avm402/server/fastify';
 * import type { x402ResourceServer } from '@avm402/server';
 * import Fastify from 'fastify';
 *
 * declare const server: x402ResourceServer;
 * const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
 * const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.env['AVM_ADDRESS'] ?? '' } as const;
 * const app = Fastify();
 * paymentMiddleware(app, { 'GET /weather': { accepts } }, server);
 * app.get('/weather', () => ({ weather: 'sunny' }));
 * ```
 */
export function paymentMiddleware(
  app: FastifyInstance,
  routes: RoutesConfig,
  server: ResourceServer,
  options: PaymentOptions = {},
): PricedRoutes {
  const priced = createSeller({ ...options, server }).pricedRoutes(routes);
  app.addHook('onRequest', fastifyHook(priced));
  return priced;
}

/**
 * A hook that charges: for a whole app or plugin with `addHook('onRequest', …)`, for one route as its `onRequest`. A handler
 * calls `charge` with `reply.raw`.
 * @param priced of `Seller.pricedRoutes` or `Seller.priced`
 * @example
 * ```ts
 * import type { Seller } from '@avm402/server';
 * import { fastifyHook } from '@avm402/server/fastify';
 * import Fastify from 'fastify';
 *
 * declare const seller: Seller;
 * const accepts = await seller.accepts({ price: '$0.01', payTo: process.env['AVM_ADDRESS'] ?? '' });
 * const onRequest = fastifyHook(seller.priced({ accepts }));
 * Fastify().get('/map', { onRequest }, () => ({ map: 'of the weather' }));
 * ```
 */
export function fastifyHook(priced: PricedRoutes): onRequestHookHandler {
  return (request, reply, done) => {
    const next = (error?: unknown): void => (error === undefined ? done() : done(asError(error)));
    priced.serve(new FastifyRequest(request), new FastifyResponder(reply, next));
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the request failed', { cause: error });
}
