import { X402Error } from '@avm402/core/errors';
import type { RequestHandler } from 'express';
import { errorReply } from '../answers.ts';
import type { PaymentMiddleware } from '../payment-middleware.ts';
import type { PricedRoutes } from '../priced-routes.ts';
import { ExpressRequest } from './express-request.ts';
import { NodeResponder } from './node-responder.ts';

/**
 * Takes the payments of an Express app. A request that comes from none gets an error reply: it lacks what Express
 * requests have, and passing it on would serve it unpaid.
 */
export function expressMiddleware(priced: PricedRoutes): PaymentMiddleware {
  const handler: RequestHandler = (request, response, next) => {
    const responder = new NodeResponder(response, next);
    if (Reflect.get(request, 'app') !== undefined) return priced.serve(new ExpressRequest(request), responder);
    const error = new X402Error('express_required');
    priced.failed(error, request.url);
    responder.send(errorReply(error));
  };
  return Object.assign(handler, { ready: priced.ready });
}
