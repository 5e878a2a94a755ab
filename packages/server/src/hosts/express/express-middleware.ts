import { X402Error } from '@avm402/core/errors';
import type { RequestHandler } from 'express';
import { errorReply } from '../../exchange/answers.ts';
import type { ServedRoutes } from '../../priced-routes.ts';
import { ExpressRequest } from './express-request.ts';
import { NodeResponder } from '../node/node-responder.ts';

/** An Express handler that takes payments. */
export interface PaymentMiddleware extends RequestHandler {
  /**
   * Resolves when every offer could be built from what the facilitator supports, and rejects if one could not. Await it
   * to make an app fail at startup. The middleware works either way: it keeps trying, and serves nothing unpaid.
   */
  readonly ready: Promise<void>;
}

/**
 * Takes the payments of an Express app. A request that does not come from an Express app gets an error reply: it lacks
 * what Express requests have, and passing it on would serve it unpaid.
 */
export function expressMiddleware(priced: ServedRoutes): PaymentMiddleware {
  const handler: RequestHandler = (request, response, next) => {
    const responder = new NodeResponder(response, next);
    if (Reflect.get(request, 'app') !== undefined) return priced.serve(new ExpressRequest(request), responder);
    const error = new X402Error('express_required');
    priced.failed(error, request.url);
    responder.send(errorReply(error));
  };
  return Object.assign(handler, { ready: priced.ready });
}
