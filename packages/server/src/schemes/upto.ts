import { UptoAvmServer } from '@avm402/avm/upto/server';
import { loadedOnce } from '@avm402/core/loaded-once';
import type { ServedScheme } from '../exchange/exchange.ts';

/** Payments of up to an amount. What the handler charges is settled. */
export const uptoScheme: ServedScheme = {
  scheme: 'upto',
  offers: { server: UptoAvmServer },
  load: loadedOnce(async () => (await import('./serve-upto.ts')).serveUpto),
};
