import { ExactAvmScheme } from '@x402/avm/exact/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware as stockMiddleware, x402ResourceServer as StockResourceServer } from '@x402/express';
import express from 'express';
import { afterwards, countLeaving, facilitator, listen, openShop, route, type Shop, type ShopOptions } from './shop.ts';
import { vi } from 'vitest';

export interface BothShops {
  readonly ours: Shop;
  readonly stock: Shop;
}

/** The same app twice: with our middleware, and with that of `@x402/express`; each with a facilitator of its own. */
export async function openBoth(options: Omit<ShopOptions, 'stub'> = {}): Promise<BothShops> {
  return { ours: await openShop(options), stock: await openStockShop(options) };
}

/** What `@x402/express` makes of the app. What it prints on its way is not of interest. */
export async function openStockShop({
  routes,
  handlers,
  before,
  facilitatorTimeoutMs = 20_000,
}: Omit<ShopOptions, 'stub'> & { readonly facilitatorTimeoutMs?: number } = {}): Promise<Shop> {
  const stub = await facilitator();
  quiet();
  const client = new HTTPFacilitatorClient({ url: stub.url, timeoutMs: facilitatorTimeoutMs });
  const server = new StockResourceServer(client).register('algorand:*', new ExactAvmScheme());
  const app = express();
  let runs = 0;
  const left = countLeaving(app);
  before?.(app);
  app.use(stockMiddleware(routes ?? { 'GET /report': route }, server));
  const count = (): void => void runs++;
  if (handlers) handlers(app, count);
  else {
    app.get('/report', (_request, response) => {
      count();
      response.json({ report: runs });
    });
  }
  return { url: await listen(app), stub, app, runs: () => runs, left };
}

/** The stock packages write to the console. */
export function quiet(): void {
  for (const method of ['log', 'warn', 'error'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation(() => undefined);
    afterwards(async () => spy.mockRestore());
  }
}
