import { blaming } from '@avm402/core/blame-caller';
import type { PricedRoutes } from '../../priced-routes.ts';
import { servedRoutes } from '../routes-to-serve.ts';
import { FetchRequest } from './fetch-request.ts';
import { FetchResponder } from './fetch-responder.ts';

/** A handler that takes a `Request`, and whatever else its host passes, and returns a `Response`. */
export type FetchHandler<R extends Request, Rest extends readonly unknown[]> = (
  request: R,
  ...rest: Rest
) => Response | Promise<Response>;

export interface FetchHandlerOptions<R extends Request, Rest extends readonly unknown[]> {
  /**
   * The client's address, so that no client takes more than its share of the verifications at a time. Default: unknown,
   * and all clients share.
   */
  readonly addressOf?: (request: R, ...rest: Rest) => string | undefined;
}

/**
 * Charges in front of a handler that takes a `Request` and returns a `Response`: a route handler of Next, or the whole
 * app on a host that has such a function. Errors of the handler go to the host, and nothing is charged. A handler calls
 * `charge` with the request.
 * @param priced from `Seller.pricedRoutes` or `Seller.priced`
 * @throws X402Error `invalid_option` if the seller has no `publicUrl`
 * @example
 * ```ts
 * import type { Seller } from '@avm402/server';
 * import { paymentMiddleware } from '@avm402/server/fetch';
 *
 * declare const seller: Seller;
 * const cent = seller.price('$0.01', { payTo: process.env['AVM_ADDRESS'] });
 * const priced = seller.pricedRoutes({ 'GET /weather': { accepts: cent, description: 'The weather, now' } });
 * export default { fetch: paymentMiddleware(priced, () => Response.json({ weather: 'sunny' })) };
 * ```
 */
export function paymentMiddleware<R extends Request, Rest extends readonly unknown[]>(
  priced: PricedRoutes,
  handler: FetchHandler<R, Rest>,
  { addressOf }: FetchHandlerOptions<R, Rest> = {},
): (request: R, ...rest: Rest) => Promise<Response> {
  const routes = blaming(paymentMiddleware, () => servedRoutes(priced).insistOnPublicUrl());
  return async (request, ...rest) => {
    const facts = new FetchRequest(request, { address: addressOf?.(request, ...rest) });
    const responder = new FetchResponder(facts, { handler: async () => handler(request, ...rest) });
    routes.serve(facts, responder);
    return responder.response;
  };
}
