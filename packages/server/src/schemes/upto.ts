import { UptoAvmServer } from '@avm402/avm/upto/server';
import type { ServedScheme } from '../exchange/exchange.ts';
import { loadedOnce } from '../exchange/loaded-once.ts';

/** Payments of up to an amount. What the handler charges is settled. */
export const uptoScheme: ServedScheme = {
  scheme: 'upto',
  offers: { server: UptoAvmServer },
  load: loadedOnce(async () => (await import('./serve-upto.ts')).serveUpto),
};
