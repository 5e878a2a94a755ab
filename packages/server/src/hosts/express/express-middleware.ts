import type { IncomingMessage, ServerResponse } from 'node:http';
import { X402Error } from '@avm402/core/errors';
import type { Request } from 'express';
import { errorReply } from '../../exchange/answers.ts';
import type { ServedRoutes } from '../../priced-routes.ts';
import { ExpressRequest } from './express-request.ts';
import { NodeResponder } from '../node/node-responder.ts';

/** A handler as Express calls it. Written without Express's types, which apps on other hosts don't install. */
export type ExpressHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** An Express handler that takes payments. */
export interface PaymentMiddleware extends ExpressHandler {
  /**
   * Resolves when every offer could be built from what the facilitator supports, and rejects if one could not. Await it
   * to make an app fail at startup. The middleware works either way: it keeps trying, and serves nothing unpaid.
   */
  readonly ready: Promise<void>;
}

/** A handler of express-ws gets the socket for the request, and the request for the response. */
const WEB_SOCKET_OPEN =
  'app.ws hands over an open WebSocket, which can’t be asked to pay: charge before it, with app.use(seller.middleware(routes))';

/**
 * Takes the payments of an Express app. A request that does not come from an Express app gets an error reply: it lacks
 * what Express requests have, and passing it on would serve it unpaid.
 */
export function expressMiddleware(priced: ServedRoutes): PaymentMiddleware {
  const handler: ExpressHandler = (request, response, next) => {
    if (!('writeHead' in response)) return next(new X402Error('express_required', { message: WEB_SOCKET_OPEN }));
    const responder = new NodeResponder(response, next);
    if (isOfExpress(request)) return priced.serve(new ExpressRequest(request), responder);
    const error = new X402Error('express_required');
    priced.failed(error, request.url);
    responder.send(errorReply(error));
  };
  return Object.assign(handler, { ready: priced.ready });
}

function isOfExpress(request: IncomingMessage): request is Request {
  return Reflect.get(request, 'app') !== undefined;
}
