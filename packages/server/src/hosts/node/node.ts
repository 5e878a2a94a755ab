import { blaming } from '@avm402/core/blame-caller';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isX402Error } from '@avm402/core/errors';
import { errorReply } from '../../exchange/answers.ts';
import { NodeRequest } from './node-request.ts';
import { NodeResponder } from './node-responder.ts';
import type { PricedRoutes } from '../../priced-routes.ts';
import { servedRoutes } from '../routes-to-serve.ts';
import type { Reply } from '../../response/reply.ts';

const FAILED: Reply = { status: 500, headers: { 'Content-Type': 'text/plain' }, body: 'the request failed' };

/** A listener of `node:http`; it may be asynchronous. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Charges in front of a listener of `node:http`. If the listener throws or rejects, the answer is a 500 and nothing is
 * charged. No proxy is trusted: behind one, set the option `publicUrl`.
 * @param priced from `Seller.pricedRoutes` or `Seller.priced`
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import type { Seller } from '@avm402/server';
 * import { paymentMiddleware } from '@avm402/server/node';
 *
 * declare const seller: Seller;
 * const cent = seller.price('$0.01', { payTo: process.env['AVM_ADDRESS'] });
 * const priced = seller.pricedRoutes({ 'GET /weather': { accepts: cent, description: 'The weather, now' } });
 * createServer(paymentMiddleware(priced, (_request, response) => void response.end('sunny'))).listen(4021);
 * ```
 */
export function paymentMiddleware(priced: PricedRoutes, listener: Listener): RequestListener {
  const routes = blaming(paymentMiddleware, () => servedRoutes(priced));
  return (request, response) => {
    const responder = new NodeResponder(response, (error) => {
      if (error === undefined) void run();
      else answerFailure(responder, error);
    });
    const run = async (): Promise<void> => {
      try {
        await listener(request, response);
      } catch (error) {
        routes.failed(error, request.url);
        answerFailure(responder, error);
      }
    };
    routes.serve(new NodeRequest(request), responder);
  };
}

function answerFailure(responder: NodeResponder, error: unknown): void {
  if (responder.hasBegun) responder.destroy();
  else responder.send(isX402Error(error) ? errorReply(error) : FAILED);
}
