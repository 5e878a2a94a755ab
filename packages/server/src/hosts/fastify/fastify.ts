import { blaming } from '@avm402/core/blame-caller';
import type { onRequestHookHandler } from 'fastify';
import { type RoutesToServe, routesToServe } from '../routes-to-serve.ts';
import { FastifyRequest, mountOf } from './fastify-request.ts';
import { FastifyResponder } from './fastify-responder.ts';

/**
 * A hook that charges. For a whole app or plugin, add it with `addHook('onRequest', …)` before the routes and plugins
 * are registered; for one route, set it as its `onRequest`. In a plugin with a prefix, a table's paths may be written
 * with the prefix or without it. A handler calls `charge` with `reply.raw`.
 * @param given `(priced)`, from `Seller.pricedRoutes` or `Seller.priced`; or stock's `(routes, server, options?)`, for
 * a seller of its own
 * @throws X402Error as `createSeller` and `Seller.pricedRoutes`
 * @example
 * ```ts
 * import type { Seller } from '@avm402/server';
 * import { paymentMiddleware } from '@avm402/server/fastify';
 * import Fastify from 'fastify';
 *
 * declare const seller: Seller;
 * const cent = seller.price('$0.01', { payTo: process.env['AVM_ADDRESS'] });
 * const app = Fastify().addHook('onRequest', paymentMiddleware(seller.pricedRoutes({ 'GET /weather': cent })));
 * app.get('/weather', () => ({ weather: 'sunny' }));
 * app.get('/map', { onRequest: paymentMiddleware(seller.priced(cent)) }, () => ({ map: 'of the weather' }));
 * ```
 */
export function paymentMiddleware(...given: RoutesToServe): onRequestHookHandler {
  const routes = blaming(paymentMiddleware, () => routesToServe(...given));
  return function hook(request, reply, done) {
    const next = (error?: unknown): void => (error === undefined ? done() : done(asError(error)));
    routes.serve(new FastifyRequest(request, mountOf(this, hook)), new FastifyResponder(reply, next));
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the request failed', { cause: error });
}
