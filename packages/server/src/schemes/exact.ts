import { ExactAvmServer } from '@avm402/avm/exact/server';
import type { ServedScheme } from '../exchange/exchange.ts';
import { loadedOnce } from '../exchange/loaded-once.ts';

/** Payments of a fixed price. */
export const exactScheme: ServedScheme = {
  scheme: 'exact',
  offers: { server: ExactAvmServer },
  load: loadedOnce(async () => (await import('./serve-exact.ts')).serveExact),
};
