import { blaming } from '@avm402/core/blame-caller';
import { membersIn } from '@avm402/core/unknown-json';
import type { Context, MiddlewareHandler } from 'hono';
import type { RoutesConfig } from '@x402/core/server';
import type { PaymentOptions } from '../../options.ts';
import { ServerResponse } from '../../node-http.ts';
import { type PricedRoutes, ServedRoutes } from '../../priced-routes.ts';
import type { ResourceServer } from '../../facilitator/stock-server.ts';
import { FetchRequest } from '../fetch/fetch-request.ts';
import { FetchResponder } from '../fetch/fetch-responder.ts';
import { closeWithConnection } from '../node/delivery.ts';
import { routesToServe, servedRoutes } from '../routes-to-serve.ts';

/** A Hono handler that takes payments. */
export interface PaymentMiddleware extends MiddlewareHandler {
  /** Resolves when every offer could be built from what the facilitator supports, and rejects if one could not. */
  readonly ready: Promise<void>;
}

export interface HonoOptions {
  /**
   * The client's address, so that no client takes more than its share of the verifications at a time. Default: that of
   * the connection on Node; elsewhere it is unknown, and all clients share.
   */
  readonly addressOf?: (context: Context) => string | undefined;
}

/**
 * Hono middleware that charges: for an app with `use`, or for one route in front of its handler. Below `route`,
 * `basePath` or `use('/path/*', …)`, a table's paths may be written whole or as that part of the app sees them. A
 * handler calls `charge` with `context.req.raw`.
 * @param priced from `Seller.pricedRoutes` or `Seller.priced`
 * @throws X402Error `invalid_option` if the seller has no `publicUrl`; `invalid_route` for `:name` with more text in its
 * segment, which Hono takes for a part of the name
 * @example
 * ```ts
 * import type { Seller } from '@avm402/server';
 * import { paymentMiddleware } from '@avm402/server/hono';
 * import { Hono } from 'hono';
 *
 * declare const seller: Seller;
 * const cent = seller.price('$0.01', { payTo: process.env['AVM_ADDRESS'] });
 * const paid = paymentMiddleware(seller.priced(cent));
 * new Hono().get('/map', paid, (context) => context.json({ map: 'of the weather' }));
 * ```
 */
export function paymentMiddleware(priced: PricedRoutes, options?: HonoOptions): PaymentMiddleware;
/**
 * Charges for the routes of a table in a Hono app. Takes the arguments of `@x402/hono`, makes a seller of its own, and
 * needs the option `publicUrl`.
 * @throws X402Error `invalid_option` without `publicUrl`, and as `createSeller` and `Seller.pricedRoutes`
 * @example
 * ```ts
 * import type { x402ResourceServer } from '@avm402/server';
 * import { paymentMiddleware } from '@avm402/server/hono';
 * import { Hono } from 'hono';
 *
 * declare const server: x402ResourceServer;
 * const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
 * const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.env['AVM_ADDRESS'] ?? '' } as const;
 * const publicUrl = 'https://api.example.com';
 * const app = new Hono().use(paymentMiddleware({ 'GET /weather': { accepts } }, server, { publicUrl }));
 * app.get('/weather', (context) => context.json({ weather: 'sunny' }));
 * ```
 */
export function paymentMiddleware(
  routes: RoutesConfig,
  server: ResourceServer,
  options?: PaymentOptions,
): PaymentMiddleware;
export function paymentMiddleware(...given: ForPriced | ForTable): PaymentMiddleware {
  return blaming(paymentMiddleware, () =>
    isForPriced(given) ? middlewareFor(servedRoutes(given[0]), given[1]) : middlewareFor(routesToServe(...given)),
  );
}

type ForPriced = [priced: PricedRoutes, options?: HonoOptions | undefined];
type ForTable = [routes: RoutesConfig, server: ResourceServer, options?: PaymentOptions | undefined];

function isForPriced(given: ForPriced | ForTable): given is ForPriced {
  return given[0] instanceof ServedRoutes;
}

function middlewareFor(routes: ServedRoutes, { addressOf = addressOnNode }: HonoOptions = {}): PaymentMiddleware {
  routes.insistOnPublicUrl().insistOnWholeSegments();
  const middleware: MiddlewareHandler = async (context, next) => {
    const { path, raw } = context.req;
    const { outgoing } = membersIn(context.env);
    if (outgoing instanceof ServerResponse) closeWithConnection(outgoing);
    const facts = new FetchRequest(raw, { address: addressOf(context), path, mounts: mountsOf(context) });
    const handler = async (): Promise<Response> => {
      await next();
      if (!context.finalized) throw new Error(`the handler of ${context.req.path} has answered nothing`);
      return context.res;
    };
    const responder = new FetchResponder(facts, { handler, headersBefore: () => context.res.headers });
    routes.serve(facts, responder);
    const response = await responder.response;
    answer(context, response);
    // A late answer of the handler must not replace the one that was given.
    if (responder.isRunning) Object.defineProperty(context, 'res', { get: () => response, set() {} });
  };
  return Object.assign(middleware, { ready: routes.ready });
}

/** Where the middleware is mounted: at the path that it is used at, and at the base path of its part of the app. */
function mountsOf({ req }: Context): readonly string[] {
  const { path = '', basePath = '' }: { path?: string; basePath?: string } = req.matchedRoutes[req.routeIndex] ?? {};
  return path.endsWith('*') ? [path.slice(0, -1), basePath] : [basePath];
}

/** Resets the response first: otherwise Hono lets the headers of the previous one override those of this one. */
function answer(context: Context, response: Response): void {
  if (context.finalized && context.res === response) return;
  context.res = undefined;
  context.res = response;
}

/** The address of a connection on Node, where `@hono/node-server` provides the request. */
function addressOnNode({ env }: Context): string | undefined {
  const { socket } = membersIn(membersIn(env)['incoming']);
  const { remoteAddress } = membersIn(socket);
  return typeof remoteAddress === 'string' ? remoteAddress : undefined;
}
