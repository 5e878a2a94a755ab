import { blaming } from '@avm402/core/blame-caller';
import type { RouteConfig } from '@x402/core/server';
import type { PaymentOptions } from '../../options.ts';
import { createSeller } from '../../seller.ts';
import type { ResourceServer } from '../../facilitator/stock-server.ts';
import { type FetchHandler, paymentMiddleware } from '../fetch/fetch.ts';

export { paymentMiddleware };

/**
 * Charges for a route handler of Next (`app/…/route.ts`), whatever path leads to it. Takes the arguments of `@x402/next`,
 * makes a seller of its own, and needs the option `publicUrl`. Route handlers that belong together need one
 * `createSeller` and `paymentMiddleware`.
 * @throws X402Error `invalid_option` without `publicUrl`, and as `createSeller` and `Seller.priced`
 * @example
 * ```ts
 * import type { x402ResourceServer } from '@avm402/server';
 * import { withX402 } from '@avm402/server/next';
 *
 * declare const server: x402ResourceServer;
 * const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
 * const accepts = { scheme: 'exact', price: '$0.01', network, payTo: process.env['AVM_ADDRESS'] ?? '' } as const;
 * const publicUrl = 'https://api.example.com';
 * export const GET = withX402(() => Response.json({ weather: 'sunny' }), { accepts }, server, { publicUrl });
 * ```
 */
export function withX402<R extends Request, Rest extends readonly unknown[]>(
  handler: FetchHandler<R, Rest>,
  route: RouteConfig,
  server: ResourceServer,
  options: PaymentOptions = {},
): (request: R, ...rest: Rest) => Promise<Response> {
  return blaming(withX402, () => paymentMiddleware(createSeller({ ...options, server }).priced(route), handler));
}
