import type { RequestHandler } from 'express';
import type { RouteConfig, RoutesConfig } from '@x402/core/server';
import type { PaymentOptions } from './options.ts';
import { createSeller } from './seller.ts';
import type { ResourceServer } from './stock-server.ts';

/** An Express handler that takes payments. */
export interface PaymentMiddleware extends RequestHandler {
  /**
   * Resolves when every offer could be built from what the facilitator supports, and rejects if one could not. Await it
   * to make an app fail at its start. The middleware works either way: it keeps trying, and serves nothing unpaid.
   */
  readonly ready: Promise<void>;
}

/**
 * Charges for the routes of a table, with the arguments of `@x402/express`; a seller of its own. Handlers that belong
 * together are made by one `createSeller`.
 * @param routes what is sold, with `accepts`, `description`, `mimeType`, `extensions`, … as in `@x402/express`
 * @param server a stock `x402ResourceServer` with its facilitator clients and the registered scheme
 * @throws X402Error as `createSeller` and `Seller.middleware`
 * @example
 * ```ts
 * import { ExactAvmServer } from '@avm402/avm/exact/server';
 * import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
 * import express from 'express';
 *
 * const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
 * const facilitator = new HTTPFacilitatorClient({ url: 'http://127.0.0.1:4022' });
 * const server = new x402ResourceServer(facilitator).register(network, new ExactAvmServer());
 * const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.env['AVM_ADDRESS'] ?? '' } as const;
 * const app = express().use(paymentMiddleware({ 'GET /weather': { accepts } }, server));
 * ```
 */
export function paymentMiddleware(
  routes: RoutesConfig,
  server: ResourceServer,
  options: PaymentOptions = {},
): PaymentMiddleware {
  return createSeller({ ...options, server }).middleware(routes);
}

/**
 * Charges for one handler, whatever path leads to it; a seller of its own. Handlers that belong together are made by one
 * `createSeller`.
 * @throws X402Error as `createSeller` and `Seller.paid`
 * @example
 * ```ts
 * import { paid, type x402ResourceServer } from '@avm402/server';
 * import express from 'express';
 *
 * declare const server: x402ResourceServer;
 * const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
 * const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.env['AVM_ADDRESS'] ?? '' } as const;
 * express().get('/weather', paid({ accepts }, server), (_request, response) => void response.json({ sunny: true }));
 * ```
 */
export function paid(route: RouteConfig, server: ResourceServer, options: PaymentOptions = {}): PaymentMiddleware {
  return createSeller({ ...options, server }).paid(route);
}
