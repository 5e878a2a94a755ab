import type { onRequestHookHandler } from 'fastify';
import { mountOf } from './node/fastify-mount.ts';
import { FastifyRequest } from './node/fastify-request.ts';
import { FastifyResponder } from './node/fastify-responder.ts';
import type { PricedRoutes } from './priced-routes.ts';

/**
 * A hook that charges: for a whole app or plugin with `addHook('onRequest', …)`, before its routes and plugins are registered;
 * for one route as its `onRequest`. In a plugin with a prefix, a table's paths may be written with the prefix or without. A handler calls `charge` with `reply.raw`.
 * @param priced of `Seller.pricedRoutes` or `Seller.priced`
 * @example
 * ```ts
 * import type { Seller } from '@avm402/server';
 * import { fastifyHook } from '@avm402/server/fastify';
 * import Fastify from 'fastify';
 *
 * declare const seller: Seller;
 * const accepts = await seller.accepts({ price: '$0.01', payTo: process.env['AVM_ADDRESS'] ?? '' });
 * const app = Fastify().addHook('onRequest', fastifyHook(seller.pricedRoutes({ 'GET /weather': { accepts } })));
 * app.get('/weather', () => ({ weather: 'sunny' }));
 * app.get('/map', { onRequest: fastifyHook(seller.priced({ accepts })) }, () => ({ map: 'of the weather' }));
 * ```
 */
export function fastifyHook(priced: PricedRoutes): onRequestHookHandler {
  return function hook(request, reply, done) {
    const next = (error?: unknown): void => (error === undefined ? done() : done(asError(error)));
    priced.serve(new FastifyRequest(request, mountOf(this, hook)), new FastifyResponder(reply, next));
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the request failed', { cause: error });
}
